/**
 * A process of Claude Code with the lock on its thread, which is held from before the process starts until it has ended.
 */
import type { AgentError } from "@zain/agent-server/AgentError"
import type { ThreadHold } from "@zain/agent-server/ThreadLock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ClaudeCodeProcess } from "./ClaudeCodeProcess.ts"

/** A process and the lock on its thread. */
export interface HeldProcess {
  /** The process. */
  readonly process: ClaudeCodeProcess
  /** Whether the process can run a turn; `false` as soon as it starts to end. */
  readonly isOpen: () => boolean
  /** See `ThreadLock.ThreadHold`. */
  readonly join: Effect.Effect<void>
  /** Ends the process once, and waits for its end. Does nothing when `isDue` returns `false` at that moment. */
  readonly close: (exit: Exit.Exit<unknown, unknown>, isDue?: () => boolean) => Effect.Effect<void>
}

/**
 * Locks the thread, and starts its process. Call it in an uninterruptible region.
 *
 * @param scope closes the process that was not closed before
 */
export const open = Effect.fnUntraced(function* (
  scope: Scope.Scope,
  hold: Effect.Effect<ThreadHold, AgentError, Scope.Scope>,
  start: Effect.Effect<ClaudeCodeProcess, AgentError, Scope.Scope>,
): Effect.fn.Return<HeldProcess, AgentError> {
  const own = yield* Scope.fork(scope)
  const [{ ending, join }, process] = yield* Effect.all([hold, start]).pipe(
    Scope.provide(own),
    Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
  )
  const closed = yield* Deferred.make<void>()
  let isClosing = false
  return {
    process,
    join,
    isOpen: () => !isClosing && process.isUsable(),
    close: (exit, isDue = () => true) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (isClosing) return Deferred.await(closed)
          if (!isDue()) return Effect.void
          isClosing = true
          ending()
          return Effect.ensuring(Scope.close(own, exit), Deferred.succeed(closed, undefined))
        }),
      ),
  }
})
