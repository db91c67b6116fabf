/**
 * Words as a shell takes them: read from a line, and written so that one can be pasted and does nothing else.
 */
import { redacted } from "@zain/process/Redactor"
import * as ShellQuote from "@zain/process/ShellQuote"
import * as Result from "effect/Result"

/** A word as a shell takes it for itself. */
export const quoted = (word: string): string =>
  ShellQuote.isPlain(word.replaceAll(redacted, "_")) ? word : ShellQuote.quote(word)

/** A command line as a shell would take it. */
export const line = (words: ReadonlyArray<string>): string => words.map(quoted).join(" ")

/** A command to paste; none where a word is not known whole. */
export const command = (words: ReadonlyArray<string>): string | undefined =>
  words.some((word) => word.includes(redacted) || /\p{C}/u.test(word)) ? undefined : line(words)

/** Whether a shell takes it for the name of a variable. */
export const isVariable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)

/**
 * Words of a line: quotes and backslashes count, and nothing else does.
 *
 * @param isWindows whether a backslash belongs to paths, and quotes nothing but a quotation mark
 * @returns the words, or the quotation mark that has no end
 */
export const split = (text: string, isWindows: boolean): Result.Result<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  const escapes = (next: string) => (isWindows ? next === '"' : quote === undefined || /["\\$`]/.test(next))
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (quote === "'" && character !== "'") word = (word ?? "") + character
    else if (character === quote) quote = undefined
    else if (character === "\\" && escapes(text[at + 1] ?? "")) word = (word ?? "") + (text[++at] ?? "")
    else if (quote !== undefined) word = (word ?? "") + character
    else if (character === "'" || character === '"') {
      quote = character
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  if (quote !== undefined) return Result.fail(quote)
  if (word !== undefined) words.push(word)
  return Result.succeed(words)
}
