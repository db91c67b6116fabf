/**
 * Each step to an editor, once: what worked, how long it took, and why the next one did not.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { DomainError } from "../../domain/DomainError.ts"
import type { EditorProfile, Hello } from "../../domain/EditorProfile.ts"
import * as Carrier from "./Carrier.ts"
import * as EditorLink from "./EditorLink.ts"
import { address, type Target } from "./Target.ts"

/** `millis`: how long it took; `what`: what was found, or what failed and what to do. */
export interface Step {
  readonly name: "connect" | "handshake" | "project" | "tools"
  readonly isOk: boolean
  readonly millis: number
  readonly what: string
}

/** Which step a failure belongs to. */
const stepOf = ({ reason }: DomainError): Step["name"] => {
  if (reason === "refused" || reason === "connect-timeout") return "connect"
  return reason === "wrong-project" ? "project" : "handshake"
}

/** The name that an editor shows for these connections. */
const clientName = "zain-editor-mcp check"

/**
 * @param project the only project that is wanted, if there is one
 * @param within how long it may take together
 */
export const run = Effect.fnUntraced(function* (
  profile: EditorProfile,
  target: Target,
  project: string | undefined,
  within: Duration.Duration,
): Effect.fn.Return<ReadonlyArray<Step>> {
  const begun = performance.now()
  let connected = begun
  const connect = Carrier.tcp(profile, target)
  const opened = yield* Effect.scoped(
    Effect.gen(function* () {
      const link = yield* EditorLink.make(profile, {
        target,
        connect: (listener) =>
          Effect.tap(connect(listener), () =>
            Effect.sync(() => {
              connected = performance.now()
            }),
          ),
        hello: { clientName, isDevelopment: false, wantsProject: true },
        project,
        reconnects: false,
      })
      const outcome = yield* Effect.result(link.ready).pipe(Effect.timeoutOption(within))
      const state = yield* SubscriptionRef.get(link.state)
      return { outcome, hello: state._tag === "Ready" ? state.hello : undefined }
    }),
  )
  const done = performance.now()
  const connectStep = step("connect", true, connected - begun, `${address(target)} accepts connections`)
  const handshake = (isOk: boolean, what: string) => step("handshake", isOk, done - connected, what)
  if (opened.outcome._tag === "None") return [connectStep, handshake(false, `${address(target)} did not answer`)]
  const outcome = opened.outcome.value
  if (Result.isFailure(outcome)) {
    const failed = step(stepOf(outcome.failure), false, done - connected, outcome.failure.message)
    return failed.name === "connect" ? [failed] : [connectStep, failed]
  }
  const found = opened.hello?.project ?? "the editor does not report its project: --project cannot be checked"
  return [
    connectStep,
    handshake(true, `answers as ${profile.title} (${profile.madeFor})`),
    step("project", true, 0, found),
    toolsStep(profile, opened.hello),
  ]
})

const step = (name: Step["name"], isOk: boolean, millis: number, what: string): Step => ({ name, isOk, millis, what })

const toolsStep = ({ catalogue }: EditorProfile, hello: Hello | undefined): Step => {
  const count = catalogue._tag === "Static" ? catalogue.tools.length : catalogue.read(hello?.tools).length
  const what = `${count} tools${catalogue._tag === "Static" ? " of a fixed list" : ", listed by the editor"}`
  return step("tools", count > 0, 0, count > 0 ? what : "no tools: enable some in the editor")
}
