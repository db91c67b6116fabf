/**
 * Splits and quotes words as a shell does, so that a printed command is safe to paste.
 */
import { redacted } from "@zain/process/Redactor"
import * as ShellQuote from "@zain/process/ShellQuote"
import * as Result from "effect/Result"

/** Quotes a word for a shell. */
export const quoted = (word: string): string =>
  ShellQuote.isPlain(word.replaceAll(redacted, "_")) ? word : ShellQuote.quote(word)

/** Quotes the words of a command line. */
export const line = (words: ReadonlyArray<string>): string => words.map(quoted).join(" ")

/** A command to paste; `undefined` if a word is redacted or has control characters. */
export const command = (words: ReadonlyArray<string>): string | undefined =>
  words.some((word) => word.includes(redacted) || /\p{C}/u.test(word)) ? undefined : line(words)

/** Whether a shell accepts it as the name of a variable. */
export const isVariable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name)

/**
 * Splits a line into words. Only quotes and backslashes are special.
 *
 * @param isWindows whether backslashes are literal, except before a quotation mark
 * @returns the words, or fails with the quotation mark that is not closed
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
