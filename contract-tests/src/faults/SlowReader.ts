/**
 * A reader of a session's events that takes none until it is released.
 */
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"

/** Subscribes to the events. The inner effect reads to the end of the session, and returns how much text had waited, in characters. */
export const make = Effect.fnUntraced(function* (client: McpClientAdapter, session: McpSessionId) {
  const awake = yield* Deferred.make<void>()
  let characters = 0
  const read = Stream.runForEach(client.events(session), (event) =>
    Effect.andThen(
      Deferred.await(awake),
      Effect.sync(() => {
        if ("text" in event) characters += event.text.length
      }),
    ),
  )
  const reader = yield* Effect.forkChild(Effect.exit(read), { startImmediately: true })
  return Effect.gen(function* () {
    yield* Deferred.succeed(awake, undefined)
    yield* Fiber.await(reader)
    return characters
  })
})
