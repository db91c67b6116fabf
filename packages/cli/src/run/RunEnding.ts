/**
 * How a run ends: with an answer, an error, or an interruption.
 */
import { limitText } from "@zain/core/FailedTurn"
import type { McpError } from "@zain/core/McpError"
import type { McpResponse } from "@zain/core/McpResponse"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Report } from "./RunReport.ts"

/** How long writing the last line of an interrupted run may take. */
const lastWord = Duration.seconds(1)

/**
 * Runs the work, and reports its outcome.
 *
 * @param provider the agent of this machine, for advice; none on a cluster
 * @returns the exit code
 */
export const conclude = Effect.fnUntraced(function* <R>(
  work: Effect.Effect<McpResponse, McpError, R>,
  report: Report,
  provider: string | undefined,
) {
  const began = yield* Clock.currentTimeMillis
  const millis = Effect.map(Clock.currentTimeMillis, (now) => now - began)
  const exit = yield* Effect.exit(
    Effect.onInterrupt(work, () =>
      Effect.flatMap(millis, (millis) =>
        // The output may have no reader.
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

/** For failures before the turn was sent, `zain doctor` reports the cause. */
const adviceFor = (error: McpError, provider: string | undefined): { readonly advice?: string } =>
  provider !== undefined && error._tag === "ConnectionUnavailable" && error.delivery === "not-sent"
    ? { advice: `"zain doctor --provider ${provider}" reports the cause.` }
    : {}

/** The agent's own advice may name commands that zain does not have, so zain prints its own. */
const adviceAfter = ({ cause }: McpResponse, provider: string | undefined): { readonly advice?: string } => {
  if (cause === undefined || cause._tag === "Unstructured") return {}
  if (cause._tag === "RateLimited") return { advice: limitText(cause) }
  if (provider === undefined) return {}
  const fix =
    cause._tag === "NotLoggedIn" ? `Log in with "${cause.command}"` : `Pass the variable with --env ${cause.variable}`
  return { advice: `${fix}, or see "zain doctor --provider ${provider}".` }
}
