/**
 * The results of the tools.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { until } from "../../../tool-server/testing/InMemory.ts"
import type { EvaluationResponse } from "../../src/Evaluation.ts"
import * as MockEvaluator from "../../src/MockEvaluator.ts"
import * as Rubric from "../../src/Rubric.ts"
import * as LoopSmithServer from "../../src/server/LoopSmithServer.ts"
import { byHand, judged, read, ready, type SdkClient, sdk } from "./Clients.ts"
import * as Judge from "./Judge.ts"

const evaluate = "evaluate_document"
const suggest = "get_improvement_suggestions"

/** Runs an evaluation and returns its iteration. */
const iterationOf = (client: SdkClient, judge: Judge.Judge, score: number) =>
  Effect.map(
    judged(client, judge, score),
    ({ structuredContent }) => (structuredContent as unknown as EvaluationResponse).metadata.iteration,
  )

describe("evaluate_document", () => {
  test("returns the same response as JSON text and as structured content (LoopSmith 3)", function* () {
    const client = yield* sdk(LoopSmithServer.make({ evaluator: MockEvaluator.make(), version: "0" }))
    const result = yield* client.call(evaluate, { content: "# T\n- a\n```x```" })
    const { evaluation_time, ...metadata } = (
      result.structuredContent as never as { metadata: Record<string, unknown> }
    ).metadata
    assert.isNumber(evaluation_time)
    assert.deepStrictEqual(result.structuredContent, {
      score: 5.2,
      rubric_scores: { completeness: 0.15, accuracy: 8, clarity: 7, usability: 7 },
      pass: false,
      suggestions: ["Say more: the text is short."],
      metadata: { ...metadata, evaluation_time },
    })
    assert.deepStrictEqual(metadata, { iteration: 1, model_used: "mock" })
    assert.deepStrictEqual(read(result), result.structuredContent)
    assert.isUndefined(result.isError)
  })

  test("uses the rubric of the call, completed and scaled to the sum 1", function* () {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    yield* judged(client, judge, 9)
    yield* judged(client, judge, 9, { args: { rubric: { clarity: 0, usability: 0 } } })
    assert.deepStrictEqual(
      judge.asked.map(({ request }) => request.rubric),
      [Rubric.defaults, { completeness: 0.5, accuracy: 0.5, clarity: 0, usability: 0 }],
    )
  })

  test("uses the target of the call, or the server's", function* () {
    const { judge, server } = byHand({ targetScore: 7 })
    const client = yield* sdk(server)
    for (const args of [{}, { target_score: 0 }, { target_score: 10 }]) yield* judged(client, judge, 9.9, { args })
    assert.deepStrictEqual(
      judge.asked.map(({ request }) => request.target),
      [7, 0, 10],
    )
  })

  test("fails with -32602 at invalid-request, and the session can go on", function* () {
    const { judge, server } = byHand()
    const client = yield* ready(server)
    const evaluation = { name: evaluate, arguments: { content: "# T" } }
    const call = yield* Effect.forkChild(client.ask("tools/call", evaluation, 1))
    yield* until(() => judge.asked.length === 1)
    judge.asked[0]?.fail(Judge.error({ reason: "invalid-request", message: "Too much for this judge." }))
    const { error } = yield* Fiber.join(call)
    assert.deepStrictEqual(error, { code: -32602, message: "Too much for this judge." })
    assert.isFalse(client.session.isBusy())
    const next = yield* Effect.forkChild(client.ask("tools/call", evaluation, 2))
    yield* until(() => judge.asked.length === 2)
    judge.asked[1]?.give(8)
    assert.deepNestedInclude((yield* Fiber.join(next)).result, { "structuredContent.pass": true })
  })
})

describe("metadata.iteration", () => {
  test("counts the evaluations of a client, and starts again after a pass and after `maxIterations`", function* () {
    const { judge, server } = byHand({ maxIterations: 3 })
    const client = yield* sdk(server)
    const seen: Array<number> = []
    for (const score of [5, 8, 5, 5, 5, 5]) seen.push(yield* iterationOf(client, judge, score))
    assert.deepStrictEqual(seen, [1, 2, 1, 2, 3, 1])
  })

  test("does not count failed evaluations, get_improvement_suggestions, and calls of other clients", function* () {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    const other = yield* sdk(server)
    assert.strictEqual(yield* iterationOf(client, judge, 5), 1)
    yield* Effect.flip(judged(client, judge, Judge.error()))
    const cancelled = yield* Effect.forkChild(client.call(evaluate, { content: "x" }))
    yield* until(() => judge.asked.length === 3)
    yield* Fiber.interrupt(cancelled)
    yield* until(() => judge.interrupted.length === 1)
    yield* judged(client, judge, 5, { tool: suggest })
    yield* Effect.flip(client.call(evaluate, { content: "" }))
    assert.strictEqual(yield* iterationOf(other, judge, 5), 1)
    assert.strictEqual(yield* iterationOf(client, judge, 5), 2)
  })
})

describe("get_improvement_suggestions", () => {
  test("returns the suggestions, the score, and the gain over `previous_score`", function* () {
    const { judge, server } = byHand()
    const client = yield* sdk(server)
    const { suggestions } = Judge
    const cases: ReadonlyArray<readonly [args: object, score: number, advice: object]> = [
      [{}, 6.5, { suggestions, score: 6.5 }],
      [{ previous_score: 6 }, 6.5, { suggestions, score: 6.5, gain: 0.5 }],
      [{ previous_score: 7.7 }, 8.2, { suggestions, score: 8.2, gain: 0.5 }],
      [{ previous_score: 9 }, 4, { suggestions, score: 4, gain: -5 }],
      [{ previous_score: 0 }, 0, { suggestions, score: 0, gain: 0 }],
    ]
    for (const [args, score, advice] of cases) {
      const result = yield* judged(client, judge, score, { args, tool: suggest })
      assert.deepStrictEqual(result.structuredContent, advice)
      assert.deepStrictEqual(read(result), advice)
    }
  })
})
