/**
 * Calls to runners, each within a limit of time: the engine itself waits for a runner without one.
 */
import type { McpDelivery, McpError } from "@zain/core/McpError"
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as ClusterFailure from "./ClusterFailure.ts"
import { PeerFailures } from "./ClusterTransport.ts"

/** Why a call has failed; `undefined` if it took too long. */
export type Why = Cause.Cause<unknown> | undefined

/** The calls of one client. */
export interface RunnerCalls {
  /** Calls a runner. Fails with the runner's error, or as `failed` reads an interruption, a defect, and the limit. */
  readonly ask: <A, E>(
    call: Effect.Effect<A, E>,
    limit: Duration.Duration,
    failed: (why: Why) => Effect.Effect<never, McpError>,
  ) => Effect.Effect<A, McpError>
  /** Fails as no runner has answered, with the last failure of a connection to one. */
  readonly noRunner: (
    reason: "connect-timeout" | "unreachable",
    limit: Duration.Duration,
  ) => Effect.Effect<never, McpError>
  /** Completes when the connection to the runner of an address has closed. */
  readonly gone: (address: string) => Effect.Effect<undefined>
}

/** Makes the calls of a client to one group of runners. */
export const make = Effect.fnUntraced(function* (group: string) {
  const failures = yield* Effect.serviceOption(PeerFailures)
  const last = Option.isSome(failures) ? failures.value.last : Effect.succeed(Option.none<string>())
  const calls: RunnerCalls = {
    ask: (call, limit, failed) =>
      Effect.flatMap(exitOf(call, limit), (exit) => {
        if (exit !== undefined && Exit.isSuccess(exit)) return Effect.succeed(exit.value)
        const error = ClusterFailure.read(exit?.cause)
        return error === undefined ? failed(exit?.cause) : Effect.fail(error)
      }),
    gone: (address) => (Option.isSome(failures) ? Effect.as(failures.value.lost(address), undefined) : Effect.never),
    noRunner: (reason, limit) =>
      Effect.flatMap(last, (why) =>
        Effect.fail(ClusterFailure.noRunner(reason, group, limit, Option.getOrUndefined(why))),
      ),
  }
  return calls
})

/**
 * The exit of a call; `undefined` if it took too long. The call runs in a fiber of its own, so that an interruption by the
 * engine is no interruption of the caller, and that one of the caller does not wait for the runner.
 *
 * @param call a message to a runner
 * @param limit how long it may take
 */
export const exitOf = <A, E>(
  call: Effect.Effect<A, E>,
  limit: Duration.Duration,
): Effect.Effect<Exit.Exit<A, E> | undefined> =>
  // Detached, as a session closes with its client, whose Scope is closed by then.
  Effect.flatMap(Effect.forkDetach(call, { startImmediately: true }), (fiber) =>
    Effect.map(Effect.timeoutOption(Fiber.await(fiber), limit), Option.getOrUndefined).pipe(
      Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe())),
    ),
  )

/** Fails as the runner was lost. */
export const lost =
  (delivery: McpDelivery) =>
  (why: Why): Effect.Effect<never, McpError> =>
    Effect.fail(ClusterFailure.lost(delivery, why))
