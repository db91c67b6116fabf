/** The loop: when it stops, its result and its events. */
import { assert, describe, it } from "@effect/vitest"
import { ImprovementLoop, LoopEvent } from "@zain/loopsmith"
import type { EvaluationRequest } from "@zain/loopsmith/Evaluation"
import { Evaluator } from "@zain/loopsmith/Evaluator"
import { type RewriteRequest, Writer } from "@zain/loopsmith/Writer"
import { test } from "@zain/testkit/Test"
import { Cause, Effect, Exit, Layer, Schema, Stream } from "effect"
import fc from "fast-check"
import { failure, inBrief, judge, writer } from "./Loops.ts"

type Request = ImprovementLoop.ImprovementRequest

const run = (scores: Parameters<typeof judge>[0], request: Partial<Request> = {}) =>
  ImprovementLoop.run({ content: "v1", ...request }).pipe(Effect.provide([judge(scores), writer()]))

const events = (scores: Parameters<typeof judge>[0]) =>
  ImprovementLoop.improve({ content: "v1" }).pipe(Stream.provide(Layer.merge(judge(scores), writer())))

const evaluating = ["RunningTool", "Evaluating", "RunningAgent", "ParsingAnswer", "Scoring"]
const improving = ["NeedsWork", "Suggesting", "Initialized"]

describe("ImprovementLoop.run (LoopSmith 10, in memory)", () => {
  test("stops at the target: 5.5, 6.9, 8.2 are three evaluations and two rewritings with the request's rubric and target", function* () {
    const judged: Array<EvaluationRequest> = []
    const written: Array<RewriteRequest> = []
    const given = { completeness: 0, accuracy: 0, clarity: 3, usability: 1 }
    const result = yield* ImprovementLoop.run({ content: "v1", target: 8.1, rubric: given }).pipe(
      Effect.provide([judge([5.5, 6.9, 8.2], judged), writer(undefined, written)]),
    )
    assert.strictEqual(result.stop, "reached-target")
    assert.deepStrictEqual([result.best, result.score, result.content], [3, 8.2, "v1++"])
    const rubric = { completeness: 0, accuracy: 0, clarity: 0.75, usability: 0.25 }
    assert.deepStrictEqual(
      judged,
      ["v1", "v1+", "v1++"].map((content, index) => ({ content, iteration: index + 1, target: 8.1, rubric })),
    )
    assert.deepStrictEqual(
      written.map(({ content, evaluation, target }) => [content, evaluation.suggestions, target]),
      [
        ["v1", ["Better than 5.5."], 8.1],
        ["v1+", ["Better than 6.9."], 8.1],
      ],
    )
    assert.deepStrictEqual(
      result.iterations.map(({ gain }) => gain),
      [undefined, 1.4, 1.3],
    )
  })

  test.each([
    ["stops at a score equal to the target", [8], {}, "reached-target", 1],
    ["goes on at a score just below the target", [7.999, 8], {}, "reached-target", 2],
    ["stops at 0 when the target is 0 (LoopSmith 6)", [0], { target: 0 }, "reached-target", 1],
    ["stops after one evaluation when `maxIterations` is 1", [5, 9], { maxIterations: 1 }, "out-of-iterations", 1],
    ["stops after five evaluations by default", [1, 2, 3, 4, 5, 9], {}, "out-of-iterations", 5],
    ["stops after three gains below 0.5 in a row", [5, 5.4, 5.8, 6.2, 9], {}, "no-more-gain", 4],
    ["counts falling scores as small gains", [5, 4, 3, 2, 9], {}, "no-more-gain", 4],
    ["counts a gain of 0.49 as small", [5, 5.49, 5.98, 6.47, 9], {}, "no-more-gain", 4],
    ["goes on after three gains of 0.5", [5, 5.5, 6, 6.5, 7], {}, "out-of-iterations", 5],
    ["goes on when one of three gains is 0.5", [5, 5.4, 5.8, 6.3, 6.8], {}, "out-of-iterations", 5],
    [
      "goes on after gains of 8.2 − 7.7, free of floating-point noise",
      [7.7, 8.2, 8.7, 9.2, 9.7],
      { target: 10 },
      "out-of-iterations",
      5,
    ],
    [
      "counts small gains anew after a large one",
      [5, 5.1, 5.2, 6, 6.1, 6.2, 6.3],
      { maxIterations: 9 },
      "no-more-gain",
      7,
    ],
    [
      "reports no-more-gain when the iterations run out at the same time",
      [5, 5, 5, 5],
      { maxIterations: 4 },
      "no-more-gain",
      4,
    ],
    ["reports reached-target when the third small gain reaches the target", [7, 7.3, 7.7, 8], {}, "reached-target", 4],
  ] as const)("%s", function* ([, scores, request, stop, iterations]) {
    const result = yield* run(scores, request)
    assert.deepStrictEqual([result.stop, result.iterations.length], [stop, iterations])
  })
})

describe("ImprovementLoop.run fails with invalid-request before any agent starts", () => {
  test.each([
    ["given a document that is too long", { content: "é".repeat(1_000_001) }],
    ["given a target above 10", { target: 10.1 }],
    ["given a rubric of zeros", { rubric: { completeness: 0, accuracy: 0, clarity: 0, usability: 0 } }],
    ["given `maxIterations` of 0", { maxIterations: 0 }],
    ["given `maxIterations` of 1.5", { maxIterations: 1.5 }],
  ] as ReadonlyArray<readonly [string, Partial<Request>]>)("%s", function* ([, request]) {
    const asked: Array<EvaluationRequest> = []
    const error = yield* ImprovementLoop.run({ content: "v1", ...request }).pipe(
      Effect.provide([judge([9], asked), writer()]),
      Effect.flip,
    )
    assert.deepStrictEqual([error.reason, error.retryable, error.attempts], ["invalid-request", false, 0])
    assert.lengthOf(asked, 0)
  })
})

describe("ImprovementLoop.run with another writer", () => {
  test("fails with bad-answer when the writer returns an empty document, and does not evaluate it", function* () {
    const asked: Array<EvaluationRequest> = []
    const careless = Layer.succeed(Writer, { rewrite: () => Effect.succeed("") })
    const error = yield* ImprovementLoop.run({ content: "v1" }).pipe(
      Effect.provide([judge([5, 9], asked), careless]),
      Effect.flip,
    )
    assert.deepStrictEqual([error.reason, error.attempts], ["bad-answer", 1])
    assert.match(error.details, /is empty/)
    assert.include(error.message, "The writer's document cannot be evaluated.")
    assert.lengthOf(asked, 1)
  })
})

describe("ImprovementLoop.improve", () => {
  test("emits every step and every state in order until the target is reached", function* () {
    const all = yield* Stream.runCollect(events([5, 8]))
    assert.deepStrictEqual(all.map(inBrief), [
      ...["Connecting", "Initialized"],
      ...["IterationStarted 1", ...evaluating, "1: 5", ...improving],
      ...["RewriteStarted 1", "1: v1+"],
      ...["IterationStarted 2", ...evaluating, "2: 8", "Passed", "Idle"],
      "reached-target",
    ])
  })

  test("emits events that survive JSON", function* () {
    const all = yield* Stream.runCollect(events([5, 8]))
    const lines = all.map((event) => JSON.stringify(event))
    const read = Schema.decodeUnknownSync(Schema.fromJsonString(LoopEvent.LoopEvent))
    assert.deepStrictEqual(
      lines.map((line) => read(line)),
      all,
    )
  })

  test("fails with the error of a failed evaluation, after the states of a failure", function* () {
    const heard: Array<LoopEvent.LoopEvent> = []
    const stream = events([5, failure("no judge")])
    const error = yield* Effect.flip(Stream.runForEach(stream, (event) => Effect.sync(() => heard.push(event))))
    assert.strictEqual(error.details, "no judge")
    assert.deepStrictEqual(heard.slice(-6).map(inBrief), [
      ...["RunningTool", "Evaluating", "RunningAgent", "HandlingError", "Failed", "Idle"],
    ])
    assert.deepInclude(heard, { _tag: "StateChanged", state: "HandlingError", note: "no judge" })
  })

  test("fails with the error of an evaluator that emits no events", function* () {
    const mute = Layer.succeed(Evaluator, { evaluate: () => Effect.fail(failure("no idea")) })
    const error = yield* ImprovementLoop.run({ content: "v1" }).pipe(Effect.provide([mute, writer()]), Effect.flip)
    assert.strictEqual(error.details, "no idea")
  })
})

describe("ImprovementLoop.run with any scores", () => {
  it("stops for the right reason with the best document, in valid states only", async () => {
    const score = fc.integer({ min: 0, max: 100 }).map((tenths) => tenths / 10)
    const script = fc.array(
      fc.oneof({ weight: 9, arbitrary: score }, { weight: 1, arbitrary: fc.constant(failure("x")) }),
      {
        minLength: 9,
        maxLength: 9,
      },
    )
    await fc.assert(
      fc.asyncProperty(script, score, fc.integer({ min: 1, max: 8 }), async (scores, target, maxIterations) => {
        const exit = await Effect.runPromiseExit(run(scores, { target, maxIterations }))
        if (Exit.isFailure(exit)) {
          assert.isFalse(Cause.hasDies(exit.cause))
          assert.isTrue(scores.slice(0, maxIterations).some((score) => typeof score !== "number"))
          return
        }
        const { best, content, iterations, score, stop } = exit.value
        const given = iterations.map(({ evaluation }) => evaluation.score)
        const [last = 0] = given.slice(-1)
        assert.deepStrictEqual(given, scores.slice(0, given.length))
        assert.strictEqual(score, Math.max(...given))
        assert.strictEqual(best, given.lastIndexOf(score) + 1)
        assert.strictEqual(content, `v1${"+".repeat(best - 1)}`)
        assert.isFalse(given.slice(0, -1).some((score) => score >= target))
        assert.strictEqual(stop === "reached-target", last >= target)
        if (stop === "out-of-iterations") assert.lengthOf(given, maxIterations)
        if (stop === "no-more-gain") {
          const tenths = given.slice(-4).map((score) => Math.round(score * 10))
          assert.isTrue(tenths.slice(1).every((score, index) => score - (tenths[index] ?? 0) < 5))
        }
      }),
      { numRuns: 500 },
    )
  })
})
