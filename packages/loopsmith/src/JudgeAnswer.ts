/**
 * What a judge's answer says: the JSON in it, wherever it stands, if it is what was asked for.
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

/** What an answer may measure unless somebody says otherwise, in bytes of UTF-8. */
export const longest = 20 * 1024 * 1024

/** With more objects that look like an evaluation, nobody can say which of them is the judge's. */
const mostCandidates = 16

/**
 * - `limit`: the longest answer, in bytes of UTF-8; 20 MiB by default
 * - `document`: what was judged. An evaluation that stands in it is a quotation and no answer
 */
export interface Options {
  readonly limit?: number | undefined
  readonly document?: string | undefined
}

/**
 * Reads an answer. It may be bare JSON, or JSON in a fence or among prose, but it is one evaluation: two that differ are
 * none, and one that only quotes the document is none either, because a document may hold one that flatters it.
 * `overall_score` stands for a missing `score`. Other keys are ignored, the judge's own `pass` too. Nothing is made up and
 * nothing is pulled into range: a score that is missing, no number or not from 0 to 10 is an answer that cannot be used.
 * `suggestions` must be there, and may be empty; there are at most 100, of at most 2,000 characters each.
 *
 * The work is linear in the answer and the document: an answer with more JSON than an evaluation needs is given up on.
 *
 * @param text the answer
 * @returns what the judge says; or a sentence about what is wrong, for the judge, without a word of the answer
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

/** The one evaluation among the objects, or why there is none. */
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

/** The evaluations that a document holds, however they are spaced: a judge may write down what it quotes in its own way. */
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

/** Whether an object claims to be an evaluation. What else it is need not be known before that. */
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
