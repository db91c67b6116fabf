/**
 * What a document is judged by, and how much each of it counts.
 *
 * @see seed, EvaluationRequest
 */
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
