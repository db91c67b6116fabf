import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as HeldAgent from "../testing/HeldAgent.ts"

const { failure, session, start } = HeldAgent

describe("the limits of a turn (port.deadline; port.idle; rule-5.ends):", () => {
  test("a deadline includes the wait in the queue, and events do not extend it (promise 1)", function* () {
    const { ask, begin, log, next } = yield* session()
    const first = yield* begin("first")
    const second = yield* start(ask("second", "10 seconds"))
    yield* TestClock.adjust("6 seconds")
    first.answer("done")
    yield* Fiber.join(first.fiber)
    const held = yield* next
    yield* TestClock.adjust("3 seconds")
    held.turn.emit({ _tag: "TextDelta", text: "still at it" })
    yield* TestClock.adjust("999 millis")
    assert.deepStrictEqual(log, ["connected"])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* failure(second), "ConnectionUnavailable deadline-exceeded unknown")
    assert.deepStrictEqual(log, ["connected", "interrupted second"])
  })

  test("the idle limit excludes the time between turns and starts with each turn", function* () {
    const { begin, log } = yield* session({}, { idleTimeout: "60 seconds" })
    const first = yield* begin("first")
    first.answer("first")
    yield* Fiber.join(first.fiber)
    yield* TestClock.adjust("1 hour")
    yield* TestClock.adjust("31 seconds")
    const { fiber } = yield* begin("second")
    yield* TestClock.adjust("59999 millis")
    assert.deepStrictEqual(log, ["connected"])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* failure(fiber), "ConnectionUnavailable stalled unknown")
    assert.deepStrictEqual(log, ["connected", "aborted stalled"])
  })

  test("the idle limit counts from the last event or heartbeat of its own turn only", function* () {
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
