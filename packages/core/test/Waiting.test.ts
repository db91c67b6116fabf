import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber } from "effect"
import * as HeldAgent from "../testing/HeldAgent.ts"

const { session, start } = HeldAgent

describe("the queue of executes of a session (rule-4.fifo; port.max-waiting)", () => {
  test("appends an execute that is called the moment its predecessor ends", function* () {
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

  test("runs 20,000 executes in order when every turn ends at once", function* () {
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
