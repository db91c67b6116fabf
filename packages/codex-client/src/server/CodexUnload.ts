/**
 * Unloads a thread.
 *
 * @see Codex 0.169 app-server: measured. `thread/closed` follows `thread/unsubscribe` immediately where
 *   `thread_unload_delay_secs` is 0, and seconds later by default
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CodexServer } from "./CodexServer.ts"

/** Time limit of Codex to unload a thread. */
const unloadLimit = Duration.seconds(1)

/** Unloads a thread, which ends the commands that its turns left running. Returns whether it is unloaded. */
export const unload = (server: CodexServer, threadId: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const closed = yield* Deferred.make<void>()
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        server.route(
          threadId,
          {
            notification: (method) => method === "thread/closed" && Deferred.doneUnsafe(closed, Effect.void),
            question: ({ answer }, reply) => reply(answer({ _tag: "Decline", reason: "The client has disconnected." })),
          },
          () => [],
        ),
      ),
      (end) => Effect.sync(end),
    )
    // An unsubscribed thread that stays loaded sends nothing until it is resumed.
    server.holds.ending(threadId)
    server.loaded.delete(threadId)
    server.leaving.add(threadId)
    yield* server.request("thread/unsubscribe", { threadId })
    yield* Deferred.await(closed)
  }).pipe(Effect.scoped, Effect.timeout(unloadLimit), Effect.isSuccess)
