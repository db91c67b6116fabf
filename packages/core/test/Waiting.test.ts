import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as HeldAgent from "./HeldAgent.ts"

const { failure, inWords, session, start } = HeldAgent

const full = "ConnectionUnavailable rate-limited not-sent"

/** A session whose turn is taken, and whose line is full. */
const busy = (maxWaiting: number) =>
  Effect.gen(function* () {
    const agent = yield* session({}, { maxWaiting })
    const underWay = yield* start(agent.ask("under way"))
    const held = yield* agent.next
    const waiting = yield* Effect.forEach(Array.from({ length: maxWaiting }), (_, index) =>
      start(agent.ask(`waiting ${index}`, "1 minute")),
    )
    return { ...agent, underWay, held, waiting, refusal: Effect.map(Effect.flip(agent.ask("one more")), inWords) }
  })

describe("the line of executes that wait for their turn (design §4, rule 4; maxWaiting)", () => {
  it.effect("has maxWaiting places: one more is rate-limited at once and not sent, the others are answered", () =>
    Effect.gen(function* () {
      const { begun, held, next, refusal, underWay, waiting } = yield* busy(3)
      assert.strictEqual(yield* refusal, full)
      held.answer("first")
      assert.strictEqual((yield* Fiber.join(underWay)).content, "first")
      for (const [index, fiber] of waiting.entries()) {
        const { answer, content } = yield* next
        assert.strictEqual(content, `waiting ${index}`)
        answer(content)
        assert.strictEqual((yield* Fiber.join(fiber)).content, content)
      }
      assert.strictEqual(begun(), 0)
    }),
  )

  it.effect("says by its error which session is full, how many wait, and what to do", () =>
    Effect.gen(function* () {
      const { ask, id } = yield* busy(2)
      const { message } = yield* Effect.flip(ask("one more"))
      for (const part of [id, "2 already wait", "Wait for answers", "open more sessions", "maxWaiting"]) {
        assert.include(message, part)
      }
    }),
  )

  it.effect("has 1,024 places by default", () =>
    Effect.gen(function* () {
      const { ask, next } = yield* session()
      yield* start(ask("under way"))
      yield* next
      const waiting = yield* Effect.forEach(Array.from({ length: 1_024 }), () => start(ask("waiting")))
      assert.strictEqual(inWords(yield* Effect.flip(ask("one more"))), full)
      assert.isTrue(waiting.every((fiber) => fiber.pollUnsafe() === undefined))
    }),
  )

  it.effect("gets a place back from one who gives up", () =>
    Effect.gen(function* () {
      const { ask, held, next, refusal, waiting } = yield* busy(2)
      yield* Fiber.interrupt(waiting[0] as (typeof waiting)[number])
      const instead = yield* start(ask("instead"))
      assert.strictEqual(yield* refusal, full)
      held.answer("")
      for (const expected of ["waiting 1", "instead"]) {
        const { answer, content } = yield* next
        assert.strictEqual(content, expected)
        answer(content)
      }
      assert.strictEqual((yield* Fiber.join(instead)).content, "instead")
    }),
  )

  it.effect("gets its places back from those whose deadline passes", () =>
    Effect.gen(function* () {
      const { held, next, refusal, ask, waiting } = yield* busy(2)
      yield* TestClock.adjust("1 minute")
      for (const fiber of waiting) {
        assert.strictEqual(yield* failure(fiber), "ConnectionUnavailable deadline-exceeded not-sent")
      }
      yield* start(ask("third"))
      yield* start(ask("fourth"))
      assert.strictEqual(yield* refusal, full)
      held.answer("")
      assert.strictEqual((yield* next).content, "third")
    }),
  )

  it.effect("gets a place back whenever a turn ends, however it ends", () =>
    Effect.gen(function* () {
      const { ask, next, refusal, underWay, waiting } = yield* busy(1)
      yield* Fiber.interrupt(underWay)
      const held = yield* next
      yield* start(ask("third"))
      assert.strictEqual(yield* refusal, full)
      held.answer("")
      yield* Fiber.join(waiting[0] as (typeof waiting)[number])
      assert.strictEqual((yield* next).content, "third")
    }),
  )

  it.effect("of one session is no other's", () =>
    Effect.gen(function* () {
      const { adapter, refusal, next } = yield* busy(1)
      const other = yield* adapter.openSession({ ...HeldAgent.config, maxWaiting: 1 })
      assert.strictEqual(yield* refusal, full)
      const asked = yield* start(adapter.execute(other, { content: "elsewhere" }))
      ;(yield* next).answer("here")
      assert.strictEqual((yield* Fiber.join(asked)).content, "here")
    }),
  )

  it.effect("is looked at after the request and the session's state", () =>
    Effect.gen(function* () {
      const { ask, close, waiting } = yield* busy(1)
      assert.strictEqual(inWords(yield* Effect.flip(ask(""))), "InvalidRequest empty-content not-sent")
      yield* close
      assert.strictEqual(inWords(yield* Effect.flip(ask("late"))), "SessionClosed closed not-sent")
      assert.strictEqual(yield* failure(waiting[0] as (typeof waiting)[number]), "SessionClosed closed not-sent")
    }),
  )

  it.effect("tells no event of one who was refused", () =>
    Effect.gen(function* () {
      const { adapter, close, id, refusal } = yield* busy(1)
      const events = yield* start(Stream.runCollect(adapter.events(id)))
      assert.strictEqual(yield* refusal, full)
      yield* close
      assert.deepStrictEqual(
        (yield* Fiber.join(events)).map(({ _tag, turn }) => [_tag, turn]),
        [["TurnFailed", 1]],
      )
    }),
  )

  it.effect("of 20,000 empties in order when every turn ends at once", () =>
    Effect.gen(function* () {
      const length = 20_000
      const answered: Array<string> = []
      const release = yield* Deferred.make<void>()
      const { ask } = yield* session(
        {
          execute: ({ content }) =>
            Effect.suspend(() => {
              answered.push(content)
              return Effect.as(answered.length === 1 ? Deferred.await(release) : Effect.void, {
                content,
                isError: false,
              })
            }),
        },
        { maxWaiting: length },
      )
      const asked = yield* Effect.forEach(Array.from({ length }), (_, index) => start(ask(String(index))))
      assert.deepStrictEqual(answered, ["0"])
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.joinAll(asked)
      assert.deepStrictEqual(
        answered,
        Array.from({ length }, (_, index) => String(index)),
      )
    }),
  )
})
