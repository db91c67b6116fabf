/**
 * An `Evaluator` without an agent, for tests and first steps: it scores a document by its form.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Evaluation from "./Evaluation.ts"
import * as Evaluator from "./Evaluator.ts"
import { criteria, type PerCriterion, type Rubric, weighted } from "./Rubric.ts"

/** The highest scores that `judge` gives. */
const best: PerCriterion = { completeness: 10, accuracy: 8, clarity: 7, usability: 7 }

const advice: Readonly<Record<keyof PerCriterion, string>> = {
  completeness: "Say more: the text is short.",
  accuracy: "Show an example in a code fence.",
  clarity: "Give the text a heading and a list.",
  usability: "Give the steps as a list.",
}

/**
 * Scores a text by its form.
 *
 * - completeness: one point for every 100 characters, at most 10
 * - accuracy: 8 with a code fence (three backticks anywhere), else 5
 * - clarity: 7 with a heading (a line that starts with one to six `#` and a space) and a list, else 4
 * - usability: 7 with a list (a line that starts with `-`, `*`, `+` or a number and a dot, and a space), else 5
 *
 * The score is their weighted sum, rounded to one decimal. Each criterion below its highest score gets a suggestion.
 *
 * @param content the document to score, which is not checked and may be empty
 * @param rubric the weights, whose sum is 1
 *
 * @example
 * ```ts
 * import { MockEvaluator, Rubric } from "@zain/loopsmith"
 *
 * MockEvaluator.judge("# T\n- a\n```x```", Rubric.defaults).score // 5.2
 * ```
 *
 * @see the system's page: mock score
 */
export const judge = (content: string, rubric: Rubric): Evaluation.Judgement => {
  const hasList = /^(?:[-*+]|\d+\.) /m.test(content)
  const scores: PerCriterion = {
    completeness: Math.min(10, content.length / 100),
    accuracy: content.includes("```") ? 8 : 5,
    clarity: hasList && /^#{1,6} /m.test(content) ? 7 : 4,
    usability: hasList ? 7 : 5,
  }
  return {
    score: Math.round(weighted(rubric, scores) * 10) / 10,
    rubric_scores: scores,
    suggestions: criteria.filter((one) => scores[one] < best[one]).map((one) => advice[one]),
  }
}

/** Makes an evaluator that emits the same events as an agent's and never fails. `model_used` is `mock`. */
export const make = (): Evaluator.Evaluator["Service"] =>
  Evaluator.make("mock", ({ content, rubric }) => Effect.sync(() => judge(content, rubric)))

/** `make` as a layer of `Evaluator`; it needs no agent and no `McpClient`. */
export const layer: Layer.Layer<Evaluator.Evaluator> = Layer.sync(Evaluator.Evaluator, make)
