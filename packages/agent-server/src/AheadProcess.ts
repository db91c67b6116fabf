/**
 * An agent's process that starts while its server does.
 */
import type { HostGuard } from "@zain/process/HostGuard"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import type { ProcessError } from "@zain/process/ProcessError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** Returns the process, once: then it ends with the Scope of the one that took it. Otherwise starts another. */
export type AheadProcess = (
  command: OwnedProcess.ProcessCommand,
) => Effect.Effect<OwnedProcess.OwnedProcess, ProcessError, Scope.Scope | HostGuard>

/**
 * Starts a process, which ends with the Scope, or with that of the one that takes it.
 *
 * @param command the process that is asked for first
 */
export const make = Effect.fnUntraced(function* (
  command: OwnedProcess.ProcessCommand,
): Effect.fn.Return<AheadProcess, never, Scope.Scope | HostGuard> {
  const scope = yield* Scope.fork(yield* Effect.scope)
  let starting: Fiber.Fiber<OwnedProcess.OwnedProcess, ProcessError> | undefined = yield* Effect.forkIn(
    Scope.provide(OwnedProcess.start(command), scope),
    scope,
    { startImmediately: true },
  )
  return (asked) =>
    Effect.suspend(() => {
      if (starting === undefined) return OwnedProcess.start(asked)
      const started = starting
      starting = undefined
      return Effect.andThen(
        Effect.addFinalizer((exit) => Scope.close(scope, exit)),
        Fiber.join(started),
      )
    })
})
