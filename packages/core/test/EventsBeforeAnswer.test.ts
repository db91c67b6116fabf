/** A reader that keeps up has every event of a turn when `execute` settles, with Effect and with promises (rule 7). */
import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import { ConnectionUnavailable } from "@zain/core/McpError"
import type { McpEvent } from "@zain/core/McpEvents"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as HeldAgent from "../testing/HeldAgent.ts"

const { start } = HeldAgent

const count = 5_000

const gone = new ConnectionUnavailable({ reason: "server-exited", message: "The agent has gone.", delivery: "unknown" })

/** Emits `count` pieces, then does what the prompt says. */
const talking = InMemoryMcpClient.make({
  reply: ({ content, emit }) =>
    Effect.suspend(() => {
      for (let piece = 0; piece < count; piece++) emit({ _tag: "TextDelta", text: "x" })
      if (content === "fail") return Effect.fail(gone)
      return content === "hang" ? Effect.never : Effect.succeed(content)
    }),
})

/** A session, and the events that its reader has received. */
const read = Effect.gen(function* () {
  const client = yield* talking
  const id = yield* client.openSession(InMemoryMcpClient.config)
  const events: Array<McpEvent> = []
  yield* start(Stream.runForEach(client.events(id), (event) => Effect.sync(() => void events.push(event))))
  return { client, id, events }
})

/** The number of events of a whole turn, and its last: TurnStarted, the pieces, and the end. */
const whole = (last: McpEvent["_tag"]) => [count + 2, last] as const
const seen = (events: ReadonlyArray<McpEvent>) => [events.length, events.at(-1)?._tag] as const

describe("with Effect, a reader has every event when execute settles (rule 7)", () => {
  test("for a turn that fails", function* () {
    const { client, events, id } = yield* read
    yield* Effect.exit(client.execute(id, { content: "fail" }))
    assert.deepStrictEqual(seen(events), whole("TurnFailed"))
  })

  test("after its deadline", function* () {
    const { client, events, id } = yield* read
    const turn = yield* start(client.execute(id, { content: "hang", deadline: "1 second" }))
    yield* TestClock.adjust("1 second")
    assert.isTrue(Exit.isFailure(yield* Fiber.await(turn)))
    assert.deepStrictEqual(seen(events), whole("TurnFailed"))
  })
})
