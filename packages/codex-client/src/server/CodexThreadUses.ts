/**
 * The clients of each thread. A thread without clients is unloaded, because no other Codex can load it before.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CodexServer } from "./CodexServer.ts"
import type { CodexThreads } from "./CodexThreads.ts"
import { unload } from "./CodexUnload.ts"

/** The threads of one client. */
export interface ThreadUser {
  /** The client uses a thread from now on. */
  readonly enter: (threadId: string) => void
  /** A turn uses a thread while it runs; the client uses it from then on if the thread is loaded. */
  readonly use: <A, E>(threadId: string, turn: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** The clients of all threads. */
export interface CodexThreadUses {
  /** Adds a client. Its threads are unloaded with the Scope, unless another client uses them. */
  readonly join: Effect.Effect<ThreadUser, never, Scope.Scope>
}

/**
 * Starts without clients.
 *
 * @param threads orders the turns of a thread
 * @param running the running server, if there is one
 */
export const make = (
  { inOrder }: Pick<CodexThreads, "inOrder">,
  running: () => CodexServer | undefined,
): CodexThreadUses => {
  const uses = new Map<string, Set<object>>()

  const isLoaded = (threadId: string) => running()?.threads.get(threadId)?._tag === "Loaded"
  const enter = (threadId: string, user: object) => {
    const users = uses.get(threadId) ?? new Set()
    uses.set(threadId, users.add(user))
  }
  const exit = (threadId: string, user: object) => {
    const users = uses.get(threadId)
    if (users?.delete(user) && users.size === 0) uses.delete(threadId)
  }
  const unloadUnused = (threadId: string) =>
    inOrder(threadId)(
      Effect.suspend(() => {
        const server = running()
        if (uses.has(threadId) || server === undefined || !isLoaded(threadId)) return Effect.void
        return unload(server, threadId)
      }),
    )
  const leave = (user: object) =>
    Effect.suspend(() => {
      const own = [...uses.keys()].filter((threadId) => uses.get(threadId)?.has(user))
      for (const threadId of own) exit(threadId, user)
      const unused = own.filter((threadId) => !uses.has(threadId))
      return Effect.forEach(unused, unloadUnused, { concurrency: "unbounded", discard: true })
    })

  return {
    join: Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => ({})),
        leave,
      ),
      (user) => ({
        enter: (threadId) => enter(threadId, user),
        use: (threadId, turn) =>
          Effect.suspend(() => {
            const call = {}
            enter(threadId, call)
            return Effect.ensuring(
              turn,
              Effect.sync(() => {
                // Only loaded threads, because a client can name any number of threads that do not exist.
                if (isLoaded(threadId)) enter(threadId, user)
                exit(threadId, call)
              }),
            )
          }),
      }),
    ),
  }
}
