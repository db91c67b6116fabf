/**
 * Which client uses which thread. A thread that no client uses any more is unloaded: as long as one Codex has it loaded,
 * every other Codex is refused it.
 *
 * @see Codex 0.169 app-server: measured. `thread/closed` follows `thread/unsubscribe` at once where
 *   `thread_unload_delay_secs` is 0, and seconds later by default
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CodexServer } from "./CodexServer.ts"
import type { CodexThreads } from "./CodexThreads.ts"

/**
 * - `enter`: this client uses a thread from now on
 * - `use`: a turn uses a thread while it lasts, and its client from then on if the thread is loaded
 */
export interface ThreadUser {
  readonly enter: (threadId: string) => void
  readonly use: <A, E>(threadId: string, turn: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** `join`: one more client. With the Scope its threads are unloaded, unless another client uses them. */
export interface CodexThreadUses {
  readonly join: Effect.Effect<ThreadUser, never, Scope.Scope>
}

/** How long Codex may take to unload a thread. */
const unloadLimit = Duration.seconds(1)

/**
 * Threads without users.
 *
 * @param threads says whose turn it is
 * @param running the server that has threads loaded, if there is one
 */
export const make = (
  { inOrder }: Pick<CodexThreads, "inOrder">,
  running: () => CodexServer | undefined,
): CodexThreadUses => {
  const uses = new Map<string, Set<object>>()

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
        if (uses.has(threadId) || server === undefined || !server.loaded.has(threadId)) return Effect.void
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
                // A client can name any number of threads that do not exist.
                if (running()?.loaded.has(threadId)) enter(threadId, user)
                exit(threadId, call)
              }),
            )
          }),
      }),
    ),
  }
}

const unload = (server: CodexServer, threadId: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const closed = yield* Deferred.make<void>()
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        server.route(
          threadId,
          {
            notification: (method) => method === "thread/closed" && Deferred.doneUnsafe(closed, Effect.void),
            question: ({ answer }, reply) => reply(answer({ _tag: "Decline", reason: "The client has left." })),
          },
          () => [],
        ),
      ),
      (end) => Effect.sync(end),
    )
    // Unsubscribed, a thread that stays loaded says nothing until it is resumed.
    server.loaded.delete(threadId)
    yield* server.request("thread/unsubscribe", { threadId })
    yield* Deferred.await(closed)
  }).pipe(Effect.scoped, Effect.exit, Effect.timeoutOption(unloadLimit), Effect.asVoid)
