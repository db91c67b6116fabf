/**
 * A process of Claude Code, and the hold on its thread: from before the process starts until it has ended.
 */
import type { AgentError } from "@zain/agent-server/AgentError"
import type { ThreadHold } from "@zain/agent-server/ThreadLock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ClaudeCodeProcess } from "./ClaudeCodeProcess.ts"

/**
 * - `isOpen`: false from the moment it begins to end
 * - `join`: see `ThreadLock.ThreadHold`
 * - `close`: ends it, once, and waits until that is so; unless it is not due any more when it would begin
 */
export interface HeldProcess {
  readonly process: ClaudeCodeProcess
  readonly isOpen: () => boolean
  readonly join: Effect.Effect<void>
  readonly close: (exit: Exit.Exit<unknown, unknown>, isDue?: () => boolean) => Effect.Effect<void>
}

/**
 * Holds the thread, and starts its process. Call it where nothing interrupts.
 *
 * @param scope ends what was not closed before
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
