import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as HeldAgent from "./HeldAgent.ts"
import { test } from "./Test.ts"

const { inWords, session, start } = HeldAgent

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
  test("is joined at its end by one who asks again the moment that its turn ends", function* () {
    const { ask, next } = yield* session()
    const eager = yield* start(Effect.andThen(ask("first"), ask("again")))
    const first = yield* next
    const waiting = yield* start(ask("waiting"))
    first.answer("")
    const second = yield* next
    assert.strictEqual(second.content, "waiting")
    second.answer("")
    const third = yield* next
    assert.strictEqual(third.content, "again")
    third.answer("")
    yield* Fiber.joinAll([eager, waiting])
  })

  test("says by its error which session is full, how many wait, and what to do", function* () {
    const { ask, id } = yield* busy(2)
    const { message } = yield* Effect.flip(ask("one more"))
    for (const part of [id, "2 already wait", "Wait for answers", "open more sessions", "maxWaiting"]) {
      assert.include(message, part)
    }
  })

  test("has 1,024 places by default", function* () {
    const { ask, next } = yield* session()
    yield* start(ask("under way"))
    yield* next
    const waiting = yield* Effect.forEach(Array.from({ length: 1_024 }), () => start(ask("waiting")))
    assert.strictEqual(inWords(yield* Effect.flip(ask("one more"))), full)
    assert.isTrue(waiting.every((fiber) => fiber.pollUnsafe() === undefined))
  })

  test("tells no event of one who was refused", function* () {
    const { adapter, close, id, refusal } = yield* busy(1)
    const events = yield* start(Stream.runCollect(adapter.events(id)))
    assert.strictEqual(yield* refusal, full)
    yield* close
    assert.deepStrictEqual(
      (yield* Fiber.join(events)).map(({ _tag, turn }) => [_tag, turn]),
      [["TurnFailed", 1]],
    )
  })

  test("of 20,000 empties in order when every turn ends at once", function* () {
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
  })
})
