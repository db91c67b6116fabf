/**
 * What is asked of an evaluator, and what it says.
 *
 * @see seed, EvaluationRequest and EvaluationResponse
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Rubric from "./Rubric.ts"

/** The best score. */
export const best = 10

/** A score, from 0 to 10. */
export const Score = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: best }))

/** What a document needs to pass unless a request says otherwise. */
export const defaultTarget = 8

/**
 * The longest document, in characters as `String.length` counts them. Codex takes 1,048,576 in a prompt, and all else
 * that is said to a judge needs its place too; one message of our servers carries as much.
 */
export const longestDocument = 1_000_000

/**
 * - `content`: the document, at least one character
 * - `rubric`: how much each criterion counts
 * - `target`: the score with which the document passes
 * - `iteration`: which evaluation of this document it is, from 1
 */
export interface EvaluationRequest {
  readonly content: string
  readonly rubric: Rubric.Rubric
  readonly target: number
  readonly iteration: number
}

/** How many suggestions a judge may give. */
export const mostSuggestions = 100

/** The longest suggestion, in characters as `String.length` counts them. */
export const longestSuggestion = 2_000

/** What a judge would have changed, most valuable first. */
export const Suggestions = Schema.Array(Schema.String.check(Schema.isMaxLength(longestSuggestion))).check(
  Schema.isMaxLength(mostSuggestions),
)

export const RubricScores = Schema.Struct({
  completeness: Score,
  accuracy: Score,
  clarity: Score,
  usability: Score,
})

/** What a judge says of a document. */
export interface Judgement {
  readonly score: number
  readonly rubric_scores: Rubric.PerCriterion
  readonly suggestions: ReadonlyArray<string>
}

/**
 * As it goes over the wire.
 *
 * - `score`: of the whole, as the judge gives it; never made up
 * - `pass`: whether the score is at least the target
 * - `metadata.evaluation_time`: in milliseconds, with every attempt and every wait
 */
export const EvaluationResponse = Schema.Struct({
  score: Score,
  rubric_scores: RubricScores,
  pass: Schema.Boolean,
  suggestions: Suggestions,
  metadata: Schema.Struct({
    iteration: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    evaluation_time: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
    model_used: Schema.String,
  }),
})
export type EvaluationResponse = typeof EvaluationResponse.Type

/**
 * What keeps a text from being a document: it must reach the judge as it is, character for character, and a NUL or half
 * a character cannot.
 *
 * @returns a sentence for people that says what is so, and not what to do about it; or nothing for a document
 */
export const documentProblem = (content: string): string | undefined => {
  if (content === "") return "The document is empty."
  if (content.includes("\0") || !content.isWellFormed()) return "The document is binary, not text."
  if (content.length > longestDocument)
    return `The document has ${content.length} characters, and may have ${longestDocument}.`
  return undefined
}

/**
 * Reads a request for an evaluation.
 *
 * @param input.content the document: 1 to 1,000,000 characters, no NUL, no lone surrogate
 * @param input.rubric as `Rubric.make` reads it
 * @param input.target from 0 to 10; 8 by default
 * @param input.iteration a whole number from 1; 1 by default
 * @returns the request, or a sentence that says what is wrong
 *
 * @example
 * ```ts
 * import { Evaluation } from "@zain/loopsmith"
 *
 * Evaluation.request({ content: "# Title", target: 7.5 }) // Result.succeed({ content: "# Title", target: 7.5, … })
 * Evaluation.request({ content: "" }) // Result.fail("The document is empty.")
 * ```
 */
export const request = (input: {
  readonly content: unknown
  readonly rubric?: unknown
  readonly target?: number | undefined
  readonly iteration?: number | undefined
}): Result.Result<EvaluationRequest, string> => {
  const { content, iteration = 1, rubric, target = defaultTarget } = input
  if (typeof content !== "string") return Result.fail("The document must be a string.")
  const problem = documentProblem(content)
  if (problem !== undefined) return Result.fail(problem)
  if (!(target >= 0 && target <= best)) return Result.fail(`The target must be a number from 0 to ${best}.`)
  if (!Number.isSafeInteger(iteration) || iteration < 1)
    return Result.fail("The iteration must be a whole number from 1.")
  return Result.map(Rubric.make(rubric), (weights) => ({ content, rubric: weights, target, iteration }))
}

/**
 * How much higher a score is than the one before, free of what floating point adds: 8.2 less 7.7 is 0.5.
 *
 * @example
 * ```ts
 * import { Evaluation } from "@zain/loopsmith"
 *
 * Evaluation.gain(8.2, 7.7) // 0.5
 * ```
 */
export const gain = (score: number, before: number): number => Number((score - before).toFixed(6))

/**
 * The response to a request.
 *
 * @param judgement what the judge said
 * @param took from the request to the response
 * @param model who judged
 */
export const respond = (
  { iteration, target }: EvaluationRequest,
  { rubric_scores, score, suggestions }: Judgement,
  took: Duration.Duration,
  model: string,
): EvaluationResponse => ({
  score,
  rubric_scores,
  pass: score >= target,
  suggestions,
  metadata: { iteration, evaluation_time: Math.round(Duration.toMillis(took)), model_used: model },
})
