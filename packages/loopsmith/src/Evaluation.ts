/**
 * The request for an evaluation, and its response.
 *
 * @see seed, EvaluationRequest and EvaluationResponse
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Rubric from "./Rubric.ts"

/** The highest score; the lowest is 0. */
export const best = 10

/** Schema of a score: a finite number from 0 to 10. */
export const Score = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: best }))

/** The default of `target` in requests, loops and reports: the lowest score with which a document passes. */
export const defaultTarget = 8

/**
 * The longest document, in characters as `String.length` counts them. Codex accepts a prompt of 1,048,576 characters, and
 * the prompt holds the template beside the document.
 */
export const maxDocumentLength = 1_000_000

/** A checked request, which `request` makes. */
export interface EvaluationRequest {
  /** The document: 1 to 1,000,000 characters, without NUL and lone surrogates. */
  readonly content: string
  /** The weight of each criterion; their sum is 1. */
  readonly rubric: Rubric.Rubric
  /** The score with which the document passes, from 0 to 10. */
  readonly target: number
  /** The number of this evaluation of the document, from 1; the response repeats it in `metadata`. */
  readonly iteration: number
}

/**
 * The maximum number of suggestions in an evaluation; a judge's answer with more fails its attempt with `bad-answer`.
 */
export const maxSuggestions = 100

/** The longest suggestion, in characters as `String.length` counts them. */
export const maxSuggestionLength = 2_000

/** Schema of suggestions, most valuable first: at most 100, each of at most 2,000 characters. */
export const Suggestions = Schema.Array(Schema.String.check(Schema.isMaxLength(maxSuggestionLength))).check(
  Schema.isMaxLength(maxSuggestions),
)

/** Schema of the judge's scores of a document by the four criteria, each from 0 to 10. */
export class RubricScores extends Schema.Opaque<RubricScores>()(
  Schema.Struct({
    /** Whether the document has everything that its readers need, from 0 to 10. */
    completeness: Score,
    /** Whether statements and examples are correct and free of contradictions, from 0 to 10. */
    accuracy: Score,
    /** Whether the document is well ordered, precise and easy to understand, from 0 to 10. */
    clarity: Score,
    /** Whether the document's readers can act on it at once, from 0 to 10. */
    usability: Score,
  }),
) {}

/** The judge's part of an evaluation; `respond` adds `pass` and `metadata`. */
export interface Judgement {
  /** The score of the whole document, from 0 to 10. The judge gives it; it is not computed from `rubric_scores`. */
  readonly score: number
  /** The score of each criterion, from 0 to 10. */
  readonly rubric_scores: Rubric.PerCriterion
  /** What to change, most valuable first; at most 100, each of at most 2,000 characters. */
  readonly suggestions: ReadonlyArray<string>
  /** What was repaired in the judge's JSON, such as "trailing comma"; absent if it was valid. */
  readonly repaired?: ReadonlyArray<string>
}

/**
 * Schema of an evaluation: the result of `evaluate_document`.
 *
 * @see seed, EvaluationResponse
 */
export class EvaluationResponse extends Schema.Opaque<EvaluationResponse>()(
  Schema.Struct({
    /** The score of the whole document, from 0 to 10. The judge gives it; it is not computed from `rubric_scores`. */
    score: Score,
    /** The score of each criterion, from 0 to 10. */
    rubric_scores: RubricScores,
    /** Whether `score` is at least the target of the request. */
    pass: Schema.Boolean,
    /** What to change, most valuable first; at most 100, each of at most 2,000 characters. May be empty. */
    suggestions: Suggestions,
    /** The number, the duration and the judge of this evaluation; `respond` adds them to the judge's part. */
    metadata: Schema.Struct({
      /** The `iteration` of the request, from 1. */
      iteration: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
      /** The time from request to response in milliseconds, with every attempt and the gaps between them. */
      evaluation_time: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
      /**
       * The judge: the provider, `provider/model` if a model was named, `mock`, or the `model` that `Evaluator.make`
       * received.
       */
      model_used: Schema.String,
      /** What was repaired in the judge's JSON, such as "trailing comma"; absent if it was valid. */
      repaired: Schema.optionalKey(Schema.Array(Schema.String)),
    }),
  }),
) {}

/**
 * Checks that a text can reach a judge unchanged: it is not empty, has no NUL and no lone surrogate, and at most
 * 1,000,000 characters.
 *
 * @param content the document, before it is sent to a judge; loops check each rewritten one too
 * @returns a sentence that names the problem; `undefined` if there is none
 */
export const documentProblem = (content: string): string | undefined => {
  if (content === "") return "The document is empty."
  if (content.includes("\0") || !content.isWellFormed()) return "The document is binary, not text."
  if (content.length > maxDocumentLength)
    return `The document has ${content.length} characters, and may have ${maxDocumentLength}.`
  return undefined
}

/**
 * Checks a request and fills in its defaults.
 *
 * @param input the request as a caller writes it, not yet checked; only `content` is required
 * @returns the request. Fails with a sentence that names the problem
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
  /** The document: 1 to 1,000,000 characters, without NUL and lone surrogates. */
  readonly content: unknown
  /** Weights of criteria in any proportion, completed by `Rubric.make`. Default: `Rubric.defaults`. */
  readonly rubric?: unknown
  /** The score with which the document passes, from 0 to 10. Default: 8. */
  readonly target?: number | undefined
  /** The number of this evaluation of the document, a whole number from 1. Default: 1. */
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
 * The difference of two scores, rounded to six decimals to remove floating-point noise: 8.2 − 7.7 is 0.5.
 *
 * @param score the later score, from which `before` is subtracted
 * @param before the earlier score, which is subtracted from `score`
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
 * Builds the response to a request; `pass` is `score >= target`.
 *
 * @param request the request; its `iteration` and `target` are used
 * @param judgement the judge's scores and suggestions, which are copied unchanged; `repaired` is copied to `metadata`
 * @param took the time from the request to the response; `metadata.evaluation_time` is this time in whole milliseconds
 * @param model the value of `metadata.model_used`
 */
export const respond = (
  { iteration, target }: EvaluationRequest,
  { repaired, rubric_scores, score, suggestions }: Judgement,
  took: Duration.Duration,
  model: string,
): EvaluationResponse => ({
  score,
  rubric_scores,
  pass: score >= target,
  suggestions,
  metadata: {
    iteration,
    evaluation_time: Math.round(Duration.toMillis(took)),
    model_used: model,
    ...(repaired === undefined ? {} : { repaired }),
  },
})
