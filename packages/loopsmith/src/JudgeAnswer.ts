/**
 * What a judge's answer says: the JSON in it, wherever it stands, if it is what was asked for.
 */
import { Buffer } from "node:buffer"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Judgement, RubricScores, Score } from "./Evaluation.ts"
import * as JsonObjects from "./JsonObjects.ts"

const Answer = Schema.Struct({
  score: Score,
  rubric_scores: RubricScores,
  suggestions: Schema.Array(Schema.String),
})

const decode = Schema.decodeUnknownResult(Answer)

/** What an answer may measure unless somebody says otherwise, in bytes of UTF-8. */
export const longest = 20 * 1024 * 1024

/**
 * Reads an answer. It may be bare JSON, or JSON in a fence or among prose; of several objects the last that is what was
 * asked for counts. `overall_score` stands for a missing `score`. Other keys are ignored, the judge's own `pass` too.
 * Nothing is made up and nothing is pulled into range: a score that is missing, no number or not from 0 to 10 is an answer
 * that cannot be used. `suggestions` must be there, and may be empty.
 *
 * @param text the answer
 * @param limit the longest answer, in bytes of UTF-8
 * @returns what the judge says; or a sentence about what is wrong, for the judge, without a word of the answer
 *
 * **Example**
 *
 * ```ts
 * import { JudgeAnswer } from "@zain/loopsmith"
 *
 * JudgeAnswer.parse("I would say 7.") // Result.fail("The answer has no JSON object. …")
 * ```
 *
 * @see LoopSmith's acceptance, rows 5 and 6
 */
export const parse = (text: string, limit: number = longest): Result.Result<Judgement, string> => {
  if (text.length > limit || Buffer.byteLength(text) > limit)
    return Result.fail(`The answer is longer than ${limit} bytes.`)
  let problem = "The answer has no JSON object."
  let last: Judgement | undefined
  const isRead = JsonObjects.each(text, (object) => {
    const answer = decode(aliased(object))
    if (Result.isSuccess(answer)) last = answer.success
    else problem = `In the JSON of the answer, ${SchemaProblem.describe(answer.failure)}.`
  })
  if (!isRead) return Result.fail(`The answer has too many braces to be read. ${expected}`)
  return last === undefined ? Result.fail(`${problem} ${expected}`) : Result.succeed(last)
}

const expected =
  "Expected is one JSON object with `score` (a number from 0 to 10), `rubric_scores` (an object with such a number for each of completeness, accuracy, clarity and usability) and `suggestions` (an array of strings)."

const aliased = (object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  !Object.hasOwn(object, "score") && Object.hasOwn(object, "overall_score")
    ? { ...object, score: object["overall_score"] }
    : object
