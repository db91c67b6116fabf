/**
 * What is asked of an evaluator, and what it says.
 *
 * @see seed, EvaluationRequest and EvaluationResponse
 */
import * as Schema from "effect/Schema"
import type { Rubric } from "./Rubric.ts"

/** A score, from 0 to 10. */
export const Score = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

/** What a document needs to pass unless a request says otherwise. */
export const defaultTarget = 8

/**
 * - `content`: the document, at least one character
 * - `rubric`: how much each criterion counts
 * - `target`: the score with which the document passes
 * - `iteration`: which evaluation of this document it is, from 1
 */
export interface EvaluationRequest {
  readonly content: string
  readonly rubric: Rubric
  readonly target: number
  readonly iteration: number
}

export const RubricScores = Schema.Struct({
  completeness: Score,
  accuracy: Score,
  clarity: Score,
  usability: Score,
})

/**
 * As it goes over the wire.
 *
 * - `score`: of the whole, as the judge gives it; never made up
 * - `pass`: whether the score is at least the target
 * - `metadata.evaluation_time`: in milliseconds, every attempt included
 */
export const EvaluationResponse = Schema.Struct({
  score: Score,
  rubric_scores: RubricScores,
  pass: Schema.Boolean,
  suggestions: Schema.Array(Schema.String),
  metadata: Schema.Struct({
    iteration: Schema.Int,
    evaluation_time: Schema.Number,
    model_used: Schema.String,
  }),
})
export type EvaluationResponse = typeof EvaluationResponse.Type
