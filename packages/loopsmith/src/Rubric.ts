/**
 * What a document is judged by, and how much each of it counts.
 *
 * @see seed, EvaluationRequest
 */
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** What is judged, in the order in which it is told. */
export const criteria = ["completeness", "accuracy", "clarity", "usability"] as const
export type Criterion = (typeof criteria)[number]

/** A number for each criterion: weights, or scores. */
export type PerCriterion = Readonly<Record<Criterion, number>>

/** Weights that are not negative and whose sum is 1. */
export type Rubric = PerCriterion

/** How much each criterion counts unless a request says otherwise. */
export const defaults: Rubric = { completeness: 0.3, accuracy: 0.3, clarity: 0.2, usability: 0.2 }

const Weight = Schema.optionalKey(Schema.Number.check(Schema.isGreaterThanOrEqualTo(0), Schema.isFinite()))

/** Weights as people give them: some of them, in any proportion. */
export const RubricInput = Schema.Struct({ completeness: Weight, accuracy: Weight, clarity: Weight, usability: Weight })
export type RubricInput = typeof RubricInput.Type

/** A value for each criterion. */
export const map = <A>(value: (criterion: Criterion) => A): Readonly<Record<Criterion, A>> => ({
  completeness: value("completeness"),
  accuracy: value("accuracy"),
  clarity: value("clarity"),
  usability: value("usability"),
})

const decode = Schema.decodeUnknownResult(RubricInput, { onExcessProperty: "error" })

/**
 * Completes a rubric and makes the sum of its weights 1. A criterion that is not given counts as much as it does in
 * `defaults`, beside the ones that are: `{ clarity: 0.2 }` changes nothing, `{ clarity: 0 }` shares what clarity had
 * among the others.
 *
 * @param input weights from 0, in any proportion, of some of the criteria
 * @returns the rubric; or a sentence that says what is wrong, when a weight is negative or no finite number, a criterion
 *   is not known, or nothing counts
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

/** The score of the whole, given a score for each criterion. */
export const weighted = (rubric: Rubric, scores: PerCriterion): number =>
  total(map((criterion) => rubric[criterion] * scores[criterion]))

/** The weights as a prompt says them, in whole per cent. */
export const percent = (rubric: Rubric): PerCriterion => map((criterion) => Math.round(rubric[criterion] * 100))
