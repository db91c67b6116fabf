/**
 * How a run ends: with an answer, an error, or because somebody ended it.
 */
import type { McpError } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Report } from "./Report.ts"

/** How long the reader of a run that is interrupted may take to hear of it. */
const lastWord = Duration.seconds(1)

/**
 * Does the work, and tells what came of it.
 *
 * @returns the exit code
 */
export const conclude = Effect.fnUntraced(function* <R>(
  work: Effect.Effect<McpResponse, McpError, R>,
  report: Report,
  provider: string,
) {
  const began = yield* Clock.currentTimeMillis
  const millis = Effect.map(Clock.currentTimeMillis, (now) => now - began)
  const exit = yield* Effect.exit(
    Effect.onInterrupt(work, () =>
      Effect.flatMap(millis, (millis) =>
        // Nobody may be left to read it.
        Effect.raceFirst(report.end({ _tag: "Interrupted", millis }), Effect.sleep(lastWord)),
      ),
    ),
  )
  if (Exit.isSuccess(exit)) {
    yield* report.end({
      _tag: "Result",
      response: exit.value,
      ...adviceAfter(exit.value, provider),
      millis: yield* millis,
    })
    return exit.value.isError ? 1 : 0
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) return yield* Effect.failCause(Cause.die(Cause.squash(exit.cause)))
  yield* report.end({ _tag: "Error", error, ...adviceFor(error, provider), millis: yield* millis })
  return 1
})

/** What goes wrong before an agent has done anything is for the doctor. */
const adviceFor = (error: McpError, provider: string): { readonly advice?: string } =>
  error._tag === "ConnectionUnavailable" && error.delivery === "not-sent"
    ? { advice: `"zain doctor --provider ${provider}" reports the cause.` }
    : {}

/** A turn that only the user can help says so in the agent's words, which may name what does not exist here. */
const adviceAfter = ({ cause }: McpResponse, provider: string): { readonly advice?: string } => {
  if (cause === undefined) return {}
  const fix =
    cause._tag === "NotLoggedIn" ? `Log in with "${cause.command}"` : `Pass the variable with --env ${cause.variable}`
  return { advice: `${fix}, or see "zain doctor --provider ${provider}".` }
}
