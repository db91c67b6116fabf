/**
 * Reads the evaluation in a judge's answer.
 */
import { Buffer } from "node:buffer"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Judgement, longestSuggestion, mostSuggestions, RubricScores, Score, Suggestions } from "./Evaluation.ts"
import * as JsonObjects from "./JsonObjects.ts"
import { linearIncludes } from "./LinearIncludes.ts"

const decode = Schema.decodeUnknownResult(
  Schema.Struct({ score: Score, rubric_scores: RubricScores, suggestions: Suggestions }),
)

/** The default of `limit`: the longest answer, in bytes of UTF-8. */
export const longest = 20 * 1024 * 1024

/** An answer with more objects that look like an evaluation is rejected as ambiguous. */
const mostCandidates = 16

/** Options of `parse`: how long an answer may be, and the document whose quotations are ignored. Both are optional. */
export interface Options {
  /** The longest answer, in bytes of UTF-8. Default: 20 MiB. */
  readonly limit?: number | undefined
  /** The document that was judged. An evaluation that stands in it is ignored as a quotation. Default: "". */
  readonly document?: string | undefined
}

/**
 * Reads the one evaluation in an answer: bare JSON, JSON in a fence, or JSON among prose.
 *
 * - Two evaluations that differ fail.
 * - An evaluation that also stands in the document is ignored: a document may contain one that flatters it.
 * - `overall_score` replaces a missing `score`. Other keys are ignored, the judge's own `pass` too.
 * - No score is invented or clamped: one that is missing, no number, or outside 0 to 10 fails.
 * - `suggestions` is required and may be empty: at most 100, each of at most 2,000 characters.
 *
 * The work is linear in the answer and the document; an answer with far more JSON than an evaluation needs fails.
 *
 * @param text the whole answer of the judge, with any prose and fences around the JSON
 * @param options the limit, and the document that was judged; without it, no evaluation is ignored as a quotation
 * @returns the judge's scores and suggestions. Fails with a sentence for the judge that does not quote the answer
 *
 * @example
 * ```ts
 * import { JudgeAnswer } from "@zain/loopsmith"
 *
 * JudgeAnswer.parse("I would say 7.") // Result.fail("The answer has no JSON object of your own. …")
 * ```
 *
 * @see LoopSmith's acceptance, rows 5 and 6
 */
export const parse = (
  text: string,
  { document = "", limit = longest }: Options = {},
): Result.Result<Judgement, string> => {
  if (text.length > limit || Buffer.byteLength(text) > limit)
    return Result.fail(`The answer is longer than ${limit} bytes.`)
  const candidates = new Map<string, JsonObjects.JsonObject>()
  let other: JsonObjects.JsonObject | undefined
  const isRead = JsonObjects.each(text, (object, source) => {
    if (!isCandidate(object)) other = object
    else if (candidates.size <= mostCandidates) candidates.set(source, object)
  })
  if (!isRead) return refused("The answer has too many braces to be read.")
  if (candidates.size > mostCandidates) return refused(several)
  return verdict(candidates, document, other)
}

/** The one evaluation among the candidates, or the problem. */
const verdict = (
  candidates: ReadonlyMap<string, JsonObjects.JsonObject>,
  document: string,
  other: JsonObjects.JsonObject | undefined,
): Result.Result<Judgement, string> => {
  const found = new Map<string, Judgement>()
  const flattery = evaluationsIn(candidates.size === 0 ? "" : document)
  let problem = "The answer has no JSON object of your own."
  if (candidates.size === 0 && other !== undefined) problem = Result.merge(Result.map(read(other), () => problem))
  for (const [source, object] of candidates) {
    const answer = read(object)
    if (Result.isFailure(answer)) problem = answer.failure
    else if (!linearIncludes(document, source) && !flattery.has(JSON.stringify(answer.success)))
      found.set(JSON.stringify(answer.success), answer.success)
  }
  const [first, ...more] = found.values()
  if (more.length > 0) return refused(several)
  return first === undefined ? refused(problem) : Result.succeed(first)
}

/** The evaluations in a document, compared by value: a judge may quote one with different spacing. */
const evaluationsIn = (document: string): ReadonlySet<string> => {
  const found = new Set<string>()
  JsonObjects.each(document, (object) => {
    const answer = isCandidate(object) ? decode(aliased(object)) : undefined
    if (answer !== undefined && Result.isSuccess(answer)) found.add(JSON.stringify(answer.success))
  })
  return found
}

const several = "The answer has more than one evaluation. Answer with one."

const refused = (problem: string) => Result.fail(`${problem} ${expected}`)

const expected = `Expected is one JSON object with \`score\` (a number from 0 to 10), \`rubric_scores\` (an object with such a number for each of completeness, accuracy, clarity and usability) and \`suggestions\` (an array of at most ${mostSuggestions} strings of at most ${longestSuggestion} characters).`

/** Whether an object has the keys of an evaluation. */
const isCandidate = (object: JsonObjects.JsonObject): boolean =>
  (Object.hasOwn(object, "score") || Object.hasOwn(object, "overall_score")) &&
  Object.hasOwn(object, "rubric_scores") &&
  Object.hasOwn(object, "suggestions")

const read = (object: JsonObjects.JsonObject): Result.Result<Judgement, string> =>
  Result.mapError(decode(aliased(object)), (error) => `In the JSON of the answer, ${SchemaProblem.describe(error)}.`)

const aliased = (object: JsonObjects.JsonObject): JsonObjects.JsonObject =>
  !Object.hasOwn(object, "score") && Object.hasOwn(object, "overall_score")
    ? { ...object, score: object["overall_score"] }
    : object
