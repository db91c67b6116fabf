/** The events of evaluators, and `Evaluator.make`. */
import { assert, describe } from "@effect/vitest"
import { type Evaluation, Evaluator, LoopState, Rubric } from "@zain/loopsmith"
import type { LoopSmithError } from "@zain/loopsmith/LoopSmithError"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { request } from "./AgentJudge.ts"
import { failure } from "./Loops.ts"

const judgement: Evaluation.Judgement = { score: 7, rubric_scores: Rubric.map(() => 7), suggestions: ["More."] }

/** An evaluation, and the states that the caller's machine enters. */
const asked = Effect.fnUntraced(function* ({ evaluate }: Evaluator.Evaluator["Service"]) {
  const heard: Array<string> = []
  const observe = yield* LoopState.track(
    (state, note) => Effect.sync(() => heard.push(note === undefined ? state : `${state}: ${note}`)),
    "Evaluating",
  )
  return { heard, evaluation: evaluate(yield* request({ content: "x", target: 7, iteration: 3 }), observe) }
})

describe("Evaluator.make", () => {
  test("emits the events that the machine requires, and sets `pass`, `model_used` and `evaluation_time`", function* () {
    const slow = Evaluator.make("me", () => Effect.as(Effect.sleep("2 seconds"), judgement))
    const { evaluation, heard } = yield* asked(slow)
    const running = yield* Effect.forkChild(evaluation, { startImmediately: true })
    assert.deepStrictEqual(heard, ["RunningAgent"])
    yield* TestClock.adjust("2 seconds")
    const metadata = { iteration: 3, evaluation_time: 2_000, model_used: "me" }
    assert.deepStrictEqual(yield* Fiber.join(running), { ...judgement, pass: true, metadata })
    assert.deepStrictEqual(heard, ["RunningAgent", "ParsingAnswer", "Scoring"])
  })

  test("leads the machine to Failed when the judge fails, and works without an observer", function* () {
    const failing = Evaluator.make("me", () => Effect.fail(failure("no idea")))
    const { evaluation, heard } = yield* asked(failing)
    assert.strictEqual((yield* Effect.flip(evaluation)).details, "no idea")
    assert.deepStrictEqual(heard, ["RunningAgent", "HandlingError: no idea", "Failed"])
    assert.strictEqual((yield* Effect.flip(failing.evaluate(yield* request({ content: "x" })))).details, "no idea")
  })
})

describe("Evaluator.settled", () => {
  const telling = (...events: ReadonlyArray<LoopState.LoopStateEvent>): Evaluator.Evaluator["Service"] =>
    Evaluator.settled({
      evaluate: (_, observe = Evaluator.unobserved) =>
        Effect.andThen(
          Effect.forEach(events, (event) => observe(event)),
          Effect.fail<LoopSmithError>(failure("no idea")),
        ),
    })

  test.each([
    ["no event", []],
    ["the start", ["agentStarted"]],
    ["the failure", ["failed"]],
    ["a coming retry", ["failed", "retryable"]],
    ["a started retry", ["failed", "retryable", "backedOff", "agentStarted", "answered"]],
    ["every event", ["agentStarted", "failed", "notRetryable"]],
    ["a success", ["agentStarted", "answered", "parsed"]],
  ] as const)(
    "fails with the evaluator's error and leads the machine to Failed after %s was emitted",
    function* ([, events]) {
      const { evaluation, heard } = yield* asked(telling(...events))
      assert.strictEqual((yield* Effect.flip(evaluation)).details, "no idea")
      assert.strictEqual(heard.at(-1), "Failed")
    },
  )
})
