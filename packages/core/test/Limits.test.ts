import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as HeldAgent from "./HeldAgent.ts"

const { failure, session, start } = HeldAgent

describe("the deadline of a request (design §4, McpError; rule 5)", () => {
  it.effect("that passes in its turn is deadline-exceeded, delivery unknown, and the agent is interrupted", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.effect("is a duration in words, a number of milliseconds or a Duration, with Effect too (issue 15, point 9)", () =>
    Effect.gen(function* () {
      const { adapter, id } = yield* session()
      for (const deadline of ["1 minute", 60_000, Duration.minutes(1)] as const) {
        const asked = yield* start(Effect.flip(adapter.execute(id, { content: "slow", deadline })))
        yield* TestClock.adjust("1 minute")
        assert.include(yield* Fiber.join(asked), { reason: "deadline-exceeded" })
      }
    }),
  )

  it.effect("that passes in the queue is deadline-exceeded, not sent, and the turn ahead goes on", () =>
    Effect.gen(function* () {
      const { ask, begun, log, next } = yield* session()
      const first = yield* start(ask("first"))
      const { answer } = yield* next
      const late = yield* start(ask("late", "10 seconds"))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* failure(late), "ConnectionUnavailable deadline-exceeded not-sent")
      answer("done")
      assert.strictEqual((yield* Fiber.join(first)).content, "done")
      assert.deepStrictEqual([begun(), log], [0, ["connected"]])
      const again = yield* start(ask("again"))
      const held = yield* next
      held.answer("again")
      assert.strictEqual((yield* Fiber.join(again)).content, "again")
    }),
  )

  it.effect("counts the wait for the turn, and events do not extend it (promise 1)", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.effect("that is kept changes nothing", () =>
    Effect.gen(function* () {
      const { ask, next } = yield* session()
      const asked = yield* start(ask("quick", "10 seconds"))
      const { answer } = yield* next
      yield* TestClock.adjust("9 seconds")
      answer("in time")
      assert.strictEqual((yield* Fiber.join(asked)).content, "in time")
    }),
  )
})

describe("the idle limit of a connection (design §4, McpConnectionConfig)", () => {
  const idle = session({}, { idleTimeout: "60 seconds" })

  it.effect("ends a turn that has been silent for its whole length as stalled, and not before", () =>
    Effect.gen(function* () {
      const { ask, log, next } = yield* idle
      const asked = yield* start(ask("silent"))
      yield* next
      yield* TestClock.adjust("59999 millis")
      assert.deepStrictEqual(log, ["connected"])
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* failure(asked), "ConnectionUnavailable stalled unknown")
      assert.deepStrictEqual(log, ["connected", "aborted stalled"])
    }),
  )

  it.effect("is restarted by every event and by every sign of life", () =>
    Effect.gen(function* () {
      const { ask, log, next } = yield* idle
      const asked = yield* start(ask("busy"))
      const { answer, turn } = yield* next
      for (let minute = 0; minute < 10; minute++) {
        yield* TestClock.adjust("59 seconds")
        if (minute % 2 === 0) turn.beat()
        else turn.emit({ _tag: "Heartbeat" })
      }
      assert.deepStrictEqual(log, ["connected"])
      answer("at last")
      assert.strictEqual((yield* Fiber.join(asked)).content, "at last")
    }),
  )

  it.effect("counts from the last sign of life, wherever the watch stands", () =>
    Effect.gen(function* () {
      const { ask, log, next } = yield* idle
      const asked = yield* start(ask("busy, then silent"))
      const { turn } = yield* next
      yield* TestClock.adjust("45 seconds")
      turn.beat()
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(log, ["connected"])
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* failure(asked), "ConnectionUnavailable stalled unknown")
    }),
  )

  it.effect("never ends a session that rests between turns, and gives the next turn its whole length", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.effect("holds for every turn after one that stalled, each with its whole length", () =>
    Effect.gen(function* () {
      const { ask, log, next } = yield* idle
      for (const prompt of ["first", "second", "third"]) {
        const asked = yield* start(ask(prompt))
        yield* next
        yield* TestClock.adjust("59 seconds")
        assert.notInclude(log, `aborted ${prompt}`)
        assert.isUndefined(asked.pollUnsafe())
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual(yield* failure(asked), "ConnectionUnavailable stalled unknown")
        yield* TestClock.adjust("17 seconds")
      }
    }),
  )

  it.effect("does not count the time in the queue", () =>
    Effect.gen(function* () {
      const { ask, next } = yield* idle
      const first = yield* start(ask("first"))
      const { answer, turn } = yield* next
      const second = yield* start(ask("second"))
      for (let count = 0; count < 3; count++) {
        yield* TestClock.adjust("50 seconds")
        turn.beat()
      }
      answer("")
      yield* Fiber.join(first)
      const held = yield* next
      yield* TestClock.adjust("59 seconds")
      held.answer("second")
      assert.strictEqual((yield* Fiber.join(second)).content, "second")
    }),
  )

  it.effect("of one session is not restarted by another", () =>
    Effect.gen(function* () {
      const { adapter, next } = yield* HeldAgent.make()
      const open = adapter.openSession({ ...HeldAgent.config, idleTimeout: "60 seconds" })
      const [silent, busy] = [yield* open, yield* open]
      const asked = yield* start(adapter.execute(silent, { content: "silent" }))
      yield* next
      yield* start(adapter.execute(busy, { content: "busy" }))
      const { turn } = yield* next
      yield* TestClock.adjust("30 seconds")
      turn.beat()
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* failure(asked), "ConnectionUnavailable stalled unknown")
    }),
  )
})
