/**
 * The criteria of an evaluation, and their weights.
 *
 * @see seed, EvaluationRequest
 */
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The four criteria, in the order of prompts, reports and messages. */
export const criteria = ["completeness", "accuracy", "clarity", "usability"] as const
/** The name of a criterion: a key of a rubric and of `rubric_scores`. */
export type Criterion = (typeof criteria)[number]

/** A number for each criterion: its weight or its score. */
export type PerCriterion = Readonly<Record<Criterion, number>>

/** Weights from 0 whose sum is 1; `make` builds one. */
export type Rubric = PerCriterion

/** The default weights, in the order of `criteria`: 0.3, 0.3, 0.2, 0.2. */
export const defaults: Rubric = { completeness: 0.3, accuracy: 0.3, clarity: 0.2, usability: 0.2 }

const Weight = Schema.optionalKey(Schema.Number.check(Schema.isGreaterThanOrEqualTo(0), Schema.isFinite()))

/** Schema of a caller's weights: any of the criteria, in any proportion. */
export const RubricInput = Schema.Struct({
  /**
   * The weight of `completeness`, whether the document has everything that its readers need: a number from 0, in
   * proportion to the other weights. Default: 0.3.
   */
  completeness: Weight,
  /**
   * The weight of `accuracy`, whether statements and examples are correct and free of contradictions: a number from
   * 0, in proportion to the other weights. Default: 0.3.
   */
  accuracy: Weight,
  /**
   * The weight of `clarity`, whether the document is well ordered, precise and easy to understand: a number from 0, in
   * proportion to the other weights. Default: 0.2.
   */
  clarity: Weight,
  /**
   * The weight of `usability`, whether the document's readers can act on it at once: a number from 0, in proportion to
   * the other weights. Default: 0.2.
   */
  usability: Weight,
})
/** A caller's weights; `make` completes them to a `Rubric`. */
export type RubricInput = typeof RubricInput.Type

/**
 * Returns an object with a value for each of the four criteria.
 *
 * @param value returns the value of one criterion; called once for each, in the order of `criteria`
 */
export const map = <A>(value: (criterion: Criterion) => A): Readonly<Record<Criterion, A>> => ({
  completeness: value("completeness"),
  accuracy: value("accuracy"),
  clarity: value("clarity"),
  usability: value("usability"),
})

const decode = Schema.decodeUnknownResult(RubricInput, { onExcessProperty: "error" })

/**
 * Completes weights with `defaults` and scales them to the sum 1. An omitted criterion gets its default before scaling:
 * `{ clarity: 0.2 }` changes nothing, `{ clarity: 0 }` distributes clarity's share among the others.
 *
 * @param input weights from 0, in any proportion, of any of the criteria
 * @returns the rubric. Fails with a sentence if a weight is negative or not finite, a criterion is unknown, or every
 *   weight is 0
 *
 * @example
 * ```ts
 * import { Rubric } from "@zain/loopsmith"
 *
 * Rubric.make({ completeness: 1, accuracy: 1, clarity: 1, usability: 1 }) // each 0.25
 * Rubric.make({ completeness: -1 }) // `completeness` is not valid: …
 * ```
 */
export const make = (input: unknown = {}): Result.Result<Rubric, string> => {
  const given = decode(input)
  if (Result.isFailure(given)) return Result.fail(`${SchemaProblem.describe(given.failure)}: ${expected}.`)
  const weights = { ...defaults, ...given.success }
  // The sum of huge weights is infinite; that of their quarters is not.
  const shares = Number.isFinite(total(weights)) ? weights : map((criterion) => weights[criterion] / 4)
  const sum = total(shares)
  if (sum === 0) return Result.fail("Nothing counts: at least one weight must be above 0.")
  return Result.succeed(map((criterion) => shares[criterion] / sum))
}

const expected = `a rubric gives weights from 0 to any of ${criteria.join(", ")}`

const total = (numbers: PerCriterion): number => criteria.reduce((sum, criterion) => sum + numbers[criterion], 0)

/**
 * The weighted sum of the criteria's scores, not rounded. `MockEvaluator` computes its `score` by it.
 *
 * @param rubric the weights, whose sum is 1
 * @param scores the score of each criterion, from 0 to 10
 */
export const weighted = (rubric: Rubric, scores: PerCriterion): number =>
  total(map((criterion) => rubric[criterion] * scores[criterion]))

/**
 * The weights in whole per cent, as the judge's prompt states them.
 *
 * @param rubric the weights, whose sum is 1
 */
export const percent = (rubric: Rubric): PerCriterion => map((criterion) => Math.round(rubric[criterion] * 100))
