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
import * as CodexThreadState from "./CodexThreadState.ts"

/** Time limit of Codex to unload a thread. */
export const unloadTimeout = Duration.seconds(1)

/** Ends the work of a thread, and unloads it. Returns whether it is unloaded. */
export const unload = (server: CodexServer, threadId: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    yield* Effect.forEach(server.turnsOf(threadId), ({ end }) => end, { concurrency: "unbounded", discard: true })
    // An unsubscribed thread that stays loaded sends nothing until it is resumed.
    const state = CodexThreadState.leaving()
    server.holds.ending(threadId)
    server.threads.set(threadId, state)
    const closed = Effect.andThen(server.request("thread/unsubscribe", { threadId }), Deferred.await(state.closed))
    return yield* closed.pipe(Effect.timeout(unloadTimeout), Effect.isSuccess)
  })
