/**
 * Progress notifications of an evaluation.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { until } from "../../../tool-server/testing/InMemory.ts"
import * as MockEvaluator from "../../src/MockEvaluator.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import { byAgent, byHand, judged, ready, scoring, sdk } from "./Clients.ts"

const evaluate = "evaluate_document"

describe("progress notifications", () => {
  test("announce each step, counted from 1, before the result", function* () {
    const { server } = yield* byAgent("none", scoring(7.2))
    const client = yield* sdk(server)
    const call = yield* Effect.forkChild(client.call(evaluate, { content: "x" }, { progressToken: "mine" }))
    yield* until(() => client.progress().includes("retrying in 1 s"))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(call)
    const [begun, answered, failed, ...others] = client.progress()
    assert.deepStrictEqual([begun, answered], ["attempt 1 of 3: the judge is reading", "the judge has answered"])
    assert.match(String(failed), /^the attempt failed: .+/)
    assert.deepStrictEqual(others, [
      "retrying in 1 s",
      "attempt 2 of 3: the judge is reading",
      "the judge has answered",
      "score 7.2",
    ])
    assert.deepStrictEqual(
      client.heard.map(({ method, params }) => [method, params?.["progressToken"], params?.["progress"]]),
      [
        ...client.progress().map((_, index) => ["notifications/progress", "mine", index + 1]),
        [undefined, undefined, undefined],
      ],
    )
  })

  test("are sent before the result, however slow the transport is", function* () {
    const client = yield* sdk(LoopSmithServer.make({ evaluator: MockEvaluator.make(), version: "0" }), true)
    yield* client.call(evaluate, { content: "x" }, { progressToken: 1 })
    assert.deepStrictEqual(
      client.heard.map(({ method, params }) => method && params?.["message"]),
      ["the judge is reading", "the judge has answered", "score 3.3", undefined],
    )
  })

  test("are not sent without a progress token", function* () {
    const { judge, server } = byHand()
    const client = yield* ready(server)
    const params = { name: evaluate, arguments: { content: "x" } }
    const call = yield* Effect.forkChild(client.ask("tools/call", params, 1))
    yield* until(() => judge.asked.length === 1)
    yield* TestClock.adjust("1 minute")
    judge.asked[0]?.give(8)
    yield* Fiber.join(call)
    assert.deepStrictEqual(client.progress(), [])
  })

  test("announce after 10 seconds of silence that the call waits for the judge (promise 28)", function* () {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    const calls = yield* Effect.forEach([1, 2, 3], (progressToken) =>
      Effect.forkChild(client.call(evaluate, { content: "x" }, { progressToken })),
    )
    yield* until(() => judge.asked.length === 2)
    const messages = () =>
      client.heard.filter(({ params }) => params?.["progressToken"] === 3).map(({ params }) => params?.["message"])
    yield* TestClock.adjust("9999 millis")
    assert.deepStrictEqual(messages(), [])
    yield* TestClock.adjust("1 millis")
    yield* until(() => messages().length === 1)
    judge.asked[0]?.give(5)
    yield* until(() => judge.asked.length === 3)
    yield* TestClock.adjust("10 seconds")
    yield* until(() => messages().length === 3)
    for (const { give } of judge.asked) give(5)
    yield* Fiber.joinAll(calls)
    const said = client.heard.length
    yield* TestClock.adjust("1 minute")
    yield* Effect.promise(() => client.sdk.ping())
    assert.lengthOf(client.heard, said + 1)
    assert.deepStrictEqual(messages().slice(0, 3), [
      "waiting for the judge: it is reading other documents",
      "attempt 1 of 1: the judge is reading",
      "still evaluating",
    ])
  })

  test.each([
    [evaluate, 8, "score 8.0: passed"],
    ["get_improvement_suggestions", 5, "score 5.0"],
    ["get_improvement_suggestions", 9, "score 9.0"],
  ] as const)("accept the token 0, and %s with score %d ends with %j", function* ([tool, score, words]) {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    yield* judged(client, judge, score, { tool, progressToken: 0 })
    assert.strictEqual(client.progress().at(-1), words)
  })
})
