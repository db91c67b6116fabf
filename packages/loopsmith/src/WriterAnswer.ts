/**
 * Reads the new document in a writer's answer.
 */
import * as Result from "effect/Result"
import * as Evaluation from "./Evaluation.ts"

const first = /^<document>[ \t\r]*\n/m
const last = "</document>"

const closing = /^<\/document>[ \t\r]*$/m
const opening = /^<document>[ \t\r]*$/m

/** Whether a line `<document>` follows a line `</document>`. */
const areTwo = (text: string): boolean => {
  const end = text.search(closing)
  return end !== -1 && opening.test(text.slice(end))
}

const two = "The answer has two documents: a line `<document>` comes after a line `</document>`. Answer with one."

/**
 * Reads the document between the first line `<document>` and the last line `</document>`; other text of the answer is
 * ignored, and such lines within the document are kept. Two documents fail as ambiguous, unless the original has these
 * lines in the same order. The document gets the original's line breaks, `\r\n` or `\n`, and a final line break if the
 * original has one.
 *
 * @param text the agent's whole answer, with any text before and after the document
 * @param original the document that the agent was asked to improve, exactly as it was sent
 * @returns the document. Fails with a sentence for the agent that names the problem
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

/** The index of the last closing line at or after `start`. */
const endOf = (text: string, start: number): number | undefined => {
  for (let at = text.lastIndexOf(last); at >= start; at = at === 0 ? -1 : text.lastIndexOf(last, at - 1)) {
    const isLine = text[at - 1] === "\n" && /^[ \t\r]*(?:\n|$)/.test(text.slice(at + last.length))
    if (isLine) return at
  }
  return undefined
}

/** The document with the original's line breaks, unless the original mixes them, and its final one. */
const like = (original: string, document: string): string => {
  const hasLong = original.includes("\r\n")
  const hasShort = /(?<!\r)\n/.test(original)
  const lines = hasLong && hasShort ? document : document.replace(/\r?\n/g, hasLong ? "\r\n" : "\n")
  return lines.endsWith("\n") ? lines : lines + (/\r?\n$/.exec(original)?.[0] ?? "")
}
