/** Concurrent evaluations by one agent: their order and their limits. */
import { assert, describe } from "@effect/vitest"
import type * as AgentEvaluator from "@zain/loopsmith/AgentEvaluator"
import { test } from "@zain/testkit/Test"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { evaluatorBy, judging, observer, type Reply, request } from "./AgentJudge.ts"

/** Evaluations of one evaluator, each with the states that its observer received. */
const crowd = Effect.fnUntraced(function* (options: Partial<AgentEvaluator.Options>, reply: Reply) {
  const evaluator = yield* evaluatorBy(reply, options)
  const evaluate = Effect.fnUntraced(function* (content: string) {
    const heard: Array<string> = []
    const evaluation = evaluator.evaluate(yield* request({ content }), yield* observer(heard))
    const running = yield* Effect.forkChild(Effect.exit(evaluation), { startImmediately: true })
    return { heard, exit: Fiber.join(running), running }
  })
  return evaluate
})

describe("concurrent evaluations of AgentEvaluator", () => {
  test("run `atOnce` at a time, and the timeout of the next one starts with its turn (promise 29)", function* () {
    const free = yield* Deferred.make<void>()
    let asked = 0
    const evaluate = yield* crowd({ atOnce: 2, timeout: "1 minute", attempts: 1 }, () =>
      Effect.suspend(() => {
        asked += 1
        if (asked < 3) return Effect.andThen(Deferred.await(free), judging())
        return Effect.andThen(Effect.sleep("50 seconds"), judging())
      }),
    )
    const all = [yield* evaluate("1"), yield* evaluate("2"), yield* evaluate("3")]
    yield* TestClock.adjust("50 seconds")
    assert.strictEqual(asked, 2)
    yield* Deferred.succeed(free, undefined)
    yield* TestClock.adjust("50 seconds")
    for (const { exit } of all) assert.isTrue(Exit.isSuccess(yield* exit))
    assert.strictEqual(asked, 3)
  })

  test("run in the order of their arrival, also when new ones arrive immediately (promise 29)", function* () {
    const asked: Array<number> = []
    const evaluate = yield* crowd({ atOnce: 2 }, ({ content }) => {
      asked.push(Number(/DOCUMENT (\d+)/.exec(content)?.[1]))
      return Effect.andThen(Effect.sleep("1 second"), judging())
    })
    const documents = Array.from({ length: 20 }, (_, index) => index)
    const evaluated = (index: number) => Effect.flatMap(evaluate(`DOCUMENT ${index}`), ({ exit }) => exit)
    const all = yield* Effect.forkChild(Effect.forEach(documents, evaluated, { concurrency: 6 }), {
      startImmediately: true,
    })
    for (const _second of documents) yield* TestClock.adjust("1 second")
    for (const exit of yield* Fiber.join(all)) assert.isTrue(Exit.isSuccess(exit))
    assert.deepStrictEqual(asked, documents)
  })

  test("fail immediately as busy, without an attempt, when `maxWaiting` others wait (promise 29)", function* () {
    const free = yield* Deferred.make<void>()
    const evaluate = yield* crowd({ atOnce: 1, maxWaiting: 1 }, () => Effect.andThen(Deferred.await(free), judging()))
    const [first, second, third] = [yield* evaluate("1"), yield* evaluate("2"), yield* evaluate("3")]
    const error = yield* Effect.flip(Effect.flatten(third.exit))
    assert.deepInclude(error, { reason: "agent", retryable: true, attempts: 0 })
    assert.include(error.message, "busy")
    assert.deepStrictEqual(third.heard, ["HandlingError", "Failed"])
    // A waiting evaluation has not started its agent.
    assert.deepStrictEqual(second.heard, [])
    yield* Deferred.succeed(free, undefined)
    for (const { exit } of [first, second]) assert.isTrue(Exit.isSuccess(yield* exit))
    assert.deepStrictEqual(second.heard, ["RunningAgent", "ParsingAnswer", "Scoring"])
  })

  test("let another one run in the gap between two attempts (promise 29)", function* () {
    const asked: Array<string> = []
    const evaluate = yield* crowd({ atOnce: 1 }, ({ content }) => {
      const name = /DOCUMENT \d/.exec(content)?.[0] ?? ""
      asked.push(name)
      return asked.length === 1 ? Effect.succeed({ content: "out of tokens", isError: true }) : judging()
    })
    const first = yield* evaluate("DOCUMENT 1")
    const second = yield* evaluate("DOCUMENT 2")
    // The clock stands still, so the first one is still in its gap.
    assert.isTrue(Exit.isSuccess(yield* second.exit))
    assert.deepStrictEqual(asked, ["DOCUMENT 1", "DOCUMENT 2"])
    assert.deepStrictEqual(first.heard, ["RunningAgent", "HandlingError", "Retrying"])
    yield* TestClock.adjust("1 second")
    assert.isTrue(Exit.isSuccess(yield* first.exit))
    assert.deepStrictEqual(asked, ["DOCUMENT 1", "DOCUMENT 2", "DOCUMENT 1"])
  })

  test("leave the queue when they are interrupted (promise 29)", function* () {
    const evaluate = yield* crowd({ atOnce: 1, maxWaiting: 1 }, () => Effect.never)
    yield* evaluate("1")
    const second = yield* evaluate("2")
    yield* Fiber.interrupt(second.running)
    const third = yield* evaluate("3")
    assert.isUndefined(third.running.pollUnsafe())
  })

  test.each([{ atOnce: 0 }, { atOnce: 1.5 }, { maxWaiting: -1 }, { attempts: 0 }, { timeout: 0 }] as const)(
    "are impossible with the options %j, which are a defect",
    function* (options) {
      const exit = yield* Effect.exit(crowd(options, () => judging()))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(String(Exit.isFailure(exit) && Cause.pretty(exit.cause)), `\`${Object.keys(options)[0]}\` must be`)
    },
  )
})
