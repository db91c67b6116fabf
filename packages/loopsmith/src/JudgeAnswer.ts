/**
 * Reads the evaluation in a judge's answer.
 */
import { Buffer } from "node:buffer"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Judgement, maxSuggestionLength, maxSuggestions, RubricScores, Score, Suggestions } from "./Evaluation.ts"
import * as JsonObjects from "./JsonObjects.ts"
import { linearIncludes } from "./LinearIncludes.ts"
import * as NearJson from "./NearJson.ts"

/** The schema of an evaluation, for agents that have means of their own for structured answers. */
export const Judged = Schema.Struct({
  /** The score of the whole document, from 0 to 10. */
  score: Score,
  /** The score of each criterion, from 0 to 10. */
  rubric_scores: RubricScores,
  /** What to change, most valuable first; at most 100, each of at most 2,000 characters. May be empty. */
  suggestions: Suggestions,
})

const decode = Schema.decodeUnknownResult(Judged)

/** The default of `limit`: the longest answer, in bytes of UTF-8. */
export const maxAnswerBytes = 20 * 1024 * 1024

/** An answer with more objects that look like an evaluation is rejected as ambiguous. */
const maxCandidates = 16

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
 * - Without a valid evaluation, one is accepted after repairs that add no value: comments and trailing commas are removed,
 *   raw tabs and line breaks in strings are escaped, scores are taken out of quotes, and the evaluation out of one object
 *   around it. `repaired` names them. A truncated evaluation fails.
 * - `suggestions` is required and may be empty: at most 100, each of at most 2,000 characters.
 *
 * The work is linear in the answer and the document; an answer with far more JSON than an evaluation needs fails.
 *
 * @param text the whole answer of the judge, with any prose and fences around the JSON
 * @param options the limit, and the document that was judged; without it, no evaluation is ignored as a quotation
 * @returns the judge's scores and suggestions. Fails with a sentence for the judge that does not quote the answer
 *   and names the line of a fault in the JSON
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
  { document = "", limit = maxAnswerBytes }: Options = {},
): Result.Result<Judgement, string> => {
  if (text.length > limit || Buffer.byteLength(text) > limit)
    return Result.fail(`The answer is longer than ${limit} bytes.`)
  const exact = own(text, document, false)
  if (!exact.isRead) return refused("The answer has too many braces to be read.")
  const near = exact.found.size === 0 && exact.count <= maxCandidates ? own(text, document, true) : exact
  if (near.found.size > 1 || near.count > maxCandidates) return refused(several)
  const [evaluation] = near.isRead ? near.found.values() : []
  return evaluation === undefined ? refused(near.problem ?? none) : Result.succeed(evaluation)
}

/** The evaluations in an answer that are no quotations, by value. `count` is the number of all candidates. */
const own = (text: string, document: string, isNear: boolean) => {
  const candidates = new Map<string, Candidate>()
  const { isRead, problem: other } = eachCandidate(text, isNear, (candidate, source) => {
    if (candidates.size <= maxCandidates) candidates.set(source, candidate)
  })
  const quoted = new Set<string>()
  const isCompared = candidates.size === 0 || addEvaluations(quoted, document)
  const found = new Map<string, Judgement>()
  let problem = candidates.size === 0 ? other : undefined
  for (const [source, { answer, repaired }] of candidates) {
    const value = JSON.stringify(answer)
    if (Result.isFailure(answer)) problem = answer.failure
    else if (!linearIncludes(document, source) && !quoted.has(value))
      found.set(value, repaired.length === 0 ? answer.success : { ...answer.success, repaired })
  }
  return { isRead: isRead && (isCompared || !isNear), found, count: candidates.size, problem }
}

/** Adds the evaluations in a document by value: a judge may quote one with different spacing. Returns whether all were read. */
const addEvaluations = (values: Set<string>, document: string): boolean => {
  const add = ({ answer }: Candidate) => {
    if (Result.isSuccess(answer)) values.add(JSON.stringify(answer))
  }
  eachCandidate(document, false, add)
  return eachCandidate(document, true, add).isRead
}

/** What an object with the keys of an evaluation says, and what was repaired in it. */
interface Candidate {
  readonly answer: Result.Result<Judgement, string>
  readonly repaired: ReadonlyArray<string>
}

/** Visits the candidates of a text. `problem` says why another object, or the text of one, is none. */
const eachCandidate = (text: string, isNear: boolean, visit: (candidate: Candidate, source: string) => void) => {
  let other: JsonObjects.JsonObject | undefined
  let unread: string | undefined
  const isRead = JsonObjects.each(
    text,
    (object, source, start, faults) => {
      const evaluation = isNear ? unwrapped(object) : object
      if (!isCandidate(evaluation)) other = object
      else {
        const { answer, repaired } = isNear ? unquoted(evaluation) : { answer: read(evaluation), repaired: [] }
        const all = [
          ...(evaluation === object ? [] : ["wrapping object"]),
          ...faults.map(({ what }) => what),
          ...repaired,
        ]
        const also =
          faults.length === 0 ? "" : ` Its JSON was repaired: ${inWords(faults.map(NearJson.named), text, start)}.`
        visit({ answer: Result.mapError(answer, (problem) => `${problem}${also}`), repaired: all }, source)
      }
    },
    isNear
      ? (source, start) => {
          if (unread !== undefined || !scoreKey.test(source)) return
          unread = `${none.slice(0, -1)} that can be read: ${inWords(NearJson.faults(source), text, start)}.`
        }
      : undefined,
  )
  return { isRead, problem: unread ?? (other && Result.merge(Result.map(read(other), () => none))) }
}

/** The one member of an object, if it is a candidate; otherwise the object. */
const unwrapped = (object: JsonObjects.JsonObject): JsonObjects.JsonObject => {
  const [inner, ...more] = Object.values(object)
  return more.length === 0 && isObject(inner) && isCandidate(inner) ? inner : object
}

/** Reads a candidate, with its scores out of quotes if that makes it valid. */
const unquoted = (object: JsonObjects.JsonObject): Candidate => {
  const answer = read(object)
  const { rubric_scores: scores, ...rest } = aliased(object)
  if (Result.isSuccess(answer) || !isObject(scores)) return { answer, repaired: [] }
  const rubric_scores = Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, number(score)]))
  const repaired = decode({ ...rest, score: number(rest["score"]), rubric_scores })
  return Result.isFailure(repaired)
    ? { answer, repaired: [] }
    : { answer: Result.succeed(repaired.success), repaired: ["score as a string"] }
}

const number = (value: unknown): unknown =>
  typeof value === "string" && /^\d{1,2}(\.\d{1,15})?$/.test(value) ? Number(value) : value

const inWords = (faults: ReadonlyArray<NearJson.Fault>, text: string, start: number): string => {
  const first = NearJson.lineAt(text, start)
  return faults.map(({ line, what }) => `line ${first + line - 1}: ${what}`).join("; ")
}

const scoreKey = /"(?:overall_)?score"/

const isObject = (value: unknown): value is JsonObjects.JsonObject => typeof value === "object" && value !== null

const none = "The answer has no JSON object of your own."

const several = "The answer has more than one evaluation. Answer with one."

const refused = (problem: string) => Result.fail(`${problem} ${expected}`)

const expected = `Expected is one JSON object with \`score\` (a number from 0 to 10), \`rubric_scores\` (an object with such a number for each of completeness, accuracy, clarity and usability) and \`suggestions\` (an array of at most ${maxSuggestions} strings of at most ${maxSuggestionLength} characters).`

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
