/**
 * Records the events of a session.
 */
import type { McpError } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import type { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { Bench } from "./ContractCase.ts"
import * as Expect from "./Expect.ts"

/**
 * `events`: those received so far. `received`: opens with each one. `ended`: waits for the end of the stream, and returns its
 * exit.
 */
export interface EventRecording {
  readonly events: ReadonlyArray<McpEvent>
  readonly received: Latch.Latch
  readonly ended: Effect.Effect<Exit.Exit<void, McpError>>
}

const warmUps = 20

/** Starts to record the events of a session. Runs turns in it until the first event has arrived. */
export const start = Effect.fnUntraced(function* (session: McpSessionId) {
  const { client, prompt } = yield* Bench
  const events: Array<McpEvent> = []
  const received = yield* Latch.make()
  const fiber = yield* Effect.forkChild(
    Stream.runForEach(client.events(session), (event) =>
      Effect.sync(() => {
        events.push(event)
        received.openUnsafe()
      }),
    ),
    { startImmediately: true },
  )
  for (let turn = 0; turn < warmUps && events.length === 0; turn++) {
    yield* client.execute(session, { content: prompt({ _tag: "Say", text: "warm" }).content })
    yield* Effect.yieldNow
  }
  yield* Expect.that(events.length > 0, `A reader must receive events, and received none in ${warmUps} turns.`)
  const recording: EventRecording = { events, received, ended: Fiber.await(fiber) }
  return recording
})

/** Waits for an event that a recording has, or will have. */
export const until = Effect.fnUntraced(function* (
  { events, received }: EventRecording,
  isIt: (event: McpEvent) => boolean,
) {
  while (!events.some(isIt)) {
    received.closeUnsafe()
    yield* received.await
  }
})
