/**
 * The thread locks of this process: each from before Codex loads the thread until Codex has unloaded it, or has ended.
 */

import type { AgentError } from "@zain/agent-server/AgentError"
import type { ThreadHold, ThreadLock } from "@zain/agent-server/ThreadLock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** The thread locks of one Codex. */
export interface CodexHolds {
  /**
   * The caller's client uses a thread from now on. Waits as `ThreadLock.acquire` does, and fails with `thread-held`.
   *
   * @param letGo unloads the thread after its running and waiting turns
   */
  readonly enter: (threadId: string, letGo: Effect.Effect<unknown>) => Effect.Effect<void, AgentError>
  /** Codex is about to unload a thread. */
  readonly ending: (threadId: string) => void
  /** Codex has unloaded a thread, or has not loaded it. */
  readonly leave: (threadId: string) => void
}

interface Held extends ThreadHold {
  readonly scope: Scope.Closeable
}

/** Starts without locks. All locks are released with the Scope. */
export const make = Effect.fnUntraced(function* (lock: ThreadLock): Effect.fn.Return<CodexHolds, never, Scope.Scope> {
  const all = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const held = new Map<string, Held>()

  const take = (threadId: string, letGo: Effect.Effect<unknown>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(all)
        const hold = yield* restore(
          Scope.provide(
            lock.acquire(threadId, () => void run(letGo)),
            scope,
          ),
        ).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
        held.set(threadId, { ...hold, scope })
      }),
    )
  return {
    enter: (threadId, letGo) => Effect.suspend(() => held.get(threadId)?.join ?? take(threadId, letGo)),
    ending: (threadId) => held.get(threadId)?.ending(),
    leave: (threadId) => {
      const gone = held.get(threadId)
      if (gone === undefined || !held.delete(threadId)) return
      run(Scope.close(gone.scope, Exit.void))
    },
  }
})
