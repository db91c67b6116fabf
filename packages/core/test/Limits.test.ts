import { assert, describe } from "@effect/vitest"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as HeldAgent from "./HeldAgent.ts"
import { test } from "./Test.ts"

const { failure, session, start } = HeldAgent

describe("the deadline of a request (design §4, McpError; rule 5)", () => {
  test("that passes in its turn is deadline-exceeded, delivery unknown, and the agent is interrupted", function* () {
    const { adapter, ask, close, id, log, next } = yield* session()
    const reader = yield* start(Stream.runCollect(adapter.events(id)))
    const asked = yield* start(ask("slow", "10 seconds"))
    yield* next
    yield* TestClock.adjust("9999 millis")
    assert.deepStrictEqual(log, ["connected"])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* failure(asked), "ConnectionUnavailable deadline-exceeded unknown")
    assert.deepStrictEqual(log, ["connected", "interrupted slow"])
    yield* close
    const last = (yield* Fiber.join(reader)).at(-1)
    assert.deepInclude(last, { _tag: "TurnFailed", reason: "deadline-exceeded" })
  })

  test("counts the wait for the turn, and events do not extend it (promise 1)", function* () {
    const { ask, next } = yield* session()
    const first = yield* start(ask("first"))
    const { answer } = yield* next
    const second = yield* start(ask("second", "10 seconds"))
    yield* TestClock.adjust("6 seconds")
    answer("done")
    yield* Fiber.join(first)
    const held = yield* next
    yield* TestClock.adjust("3 seconds")
    held.turn.emit({ _tag: "TextDelta", text: "still at it" })
    yield* TestClock.adjust("1 seconds")
    assert.strictEqual(yield* failure(second), "ConnectionUnavailable deadline-exceeded unknown")
  })
})

describe("the idle limit of a connection (design §4, McpConnectionConfig)", () => {
  const idle = session({}, { idleTimeout: "60 seconds" })

  test("ends a turn that has been silent for its whole length as stalled, and not before", function* () {
    const { ask, log, next } = yield* idle
    const asked = yield* start(ask("silent"))
    yield* next
    yield* TestClock.adjust("59999 millis")
    assert.deepStrictEqual(log, ["connected"])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* failure(asked), "ConnectionUnavailable stalled unknown")
    assert.deepStrictEqual(log, ["connected", "aborted stalled"])
  })

  test("never ends a session that rests between turns, and gives the next turn its whole length", function* () {
    const { ask, log, next } = yield* idle
    const first = yield* start(ask("first"))
    const { answer } = yield* next
    answer("first")
    yield* Fiber.join(first)
    yield* TestClock.adjust("1 hour")
    yield* TestClock.adjust("31 seconds")
    const second = yield* start(ask("second"))
    yield* next
    yield* TestClock.adjust("59999 millis")
    assert.deepStrictEqual(log, ["connected"])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* failure(second), "ConnectionUnavailable stalled unknown")
  })

  test("counts from the last event or sign of life of its own turn, wherever the watch stands", function* () {
    const { adapter, next } = yield* HeldAgent.make()
    const open = adapter.openSession({ ...HeldAgent.config, idleTimeout: "60 seconds" })
    const [mine, other] = [yield* open, yield* open]
    const asked = yield* start(adapter.execute(mine, { content: "busy, then silent" }))
    const { turn } = yield* next
    yield* start(adapter.execute(other, { content: "busy" }))
    const elsewhere = (yield* next).turn
    for (const sign of [turn.beat, () => turn.emit({ _tag: "Heartbeat" }), turn.beat]) {
      yield* TestClock.adjust("45 seconds")
      sign()
      elsewhere.beat()
    }
    yield* TestClock.adjust("59 seconds")
    elsewhere.beat()
    assert.isUndefined(asked.pollUnsafe())
    yield* TestClock.adjust("1 seconds")
    assert.strictEqual(yield* failure(asked), "ConnectionUnavailable stalled unknown")
  })
})
