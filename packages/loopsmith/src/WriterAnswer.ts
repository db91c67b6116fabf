/**
 * The improved document in what a writer answered.
 */
import * as Result from "effect/Result"
import * as Evaluation from "./Evaluation.ts"

const first = /^<document>[ \t\r]*\n/m
const last = "</document>"

const closing = /^<\/document>[ \t\r]*$/m
const opening = /^<document>[ \t\r]*$/m

/** Whether one document ends in a text, and another begins after that. */
const areTwo = (text: string): boolean => {
  const end = text.search(closing)
  return end !== -1 && opening.test(text.slice(end))
}

const two = "The answer has two documents: a line `<document>` comes after a line `</document>`. Answer with one."

/**
 * Reads the document between the first line that is `<document>` and the last line that is `</document>`. So a document
 * that holds such lines itself survives, and what an agent says around it, or instead of it, is never taken for one.
 * Two documents are a bad answer, unless the original has such lines in this order itself: nobody can tell which was meant.
 * The document gets the line breaks of the original, `\r\n` or `\n`, and a last line break if the original has one.
 *
 * @param text what the agent answered
 * @param original the document that it was asked to improve
 * @returns the document; or a sentence for the agent that says what was wrong
 *
 * @example
 * ```ts
 * import { WriterAnswer } from "@zain/loopsmith"
 *
 * WriterAnswer.parse("Here it is:\n<document>\n# Better\n</document>", "# Good\n") // "# Better\n"
 * ```
 */
export const parse = (text: string, original: string): Result.Result<string, string> => {
  const begin = first.exec(text)
  if (begin === null) return Result.fail("The answer has no line that is exactly `<document>`.")
  const start = begin.index + begin[0].length
  const end = endOf(text, start)
  if (end === undefined) return Result.fail("The answer has no line that is exactly `</document>` after the document.")
  const answered = text.slice(start, end)
  if (areTwo(answered) && !areTwo(original)) return Result.fail(two)
  const document = like(original, answered.replace(/\r?\n$/, ""))
  const problem = Evaluation.documentProblem(document.trim() === "" ? "" : document)
  return problem === undefined ? Result.succeed(document) : Result.fail(`Between the two lines: ${problem}`)
}

/** Where the last closing line begins, if there is one at or after `start`. */
const endOf = (text: string, start: number): number | undefined => {
  for (let at = text.lastIndexOf(last); at >= start; at = at === 0 ? -1 : text.lastIndexOf(last, at - 1)) {
    const isLine = text[at - 1] === "\n" && /^[ \t\r]*(?:\n|$)/.test(text.slice(at + last.length))
    if (isLine) return at
  }
  return undefined
}

/** With the line breaks of the original, unless it mixes them, and with its last one. */
const like = (original: string, document: string): string => {
  const hasLong = original.includes("\r\n")
  const hasShort = /(?<!\r)\n/.test(original)
  const lines = hasLong && hasShort ? document : document.replace(/\r?\n/g, hasLong ? "\r\n" : "\n")
  return lines.endsWith("\n") ? lines : lines + (/\r?\n$/.exec(original)?.[0] ?? "")
}
