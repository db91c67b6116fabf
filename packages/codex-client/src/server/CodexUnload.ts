/**
 * How Codex lets go of a thread.
 *
 * @see Codex 0.169 app-server: measured. `thread/closed` follows `thread/unsubscribe` at once where
 *   `thread_unload_delay_secs` is 0, and seconds later by default
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CodexServer } from "./CodexServer.ts"

/** How long Codex may take to unload a thread. */
const unloadLimit = Duration.seconds(1)

/** Unloads a thread, which ends what its turns have left running. Gives whether it is unloaded now. */
export const unload = (server: CodexServer, threadId: string): Effect.Effect<boolean> =>
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
    server.holds.ending(threadId)
    server.loaded.delete(threadId)
    server.leaving.add(threadId)
    yield* server.request("thread/unsubscribe", { threadId })
    yield* Deferred.await(closed)
  }).pipe(Effect.scoped, Effect.timeout(unloadLimit), Effect.isSuccess)
