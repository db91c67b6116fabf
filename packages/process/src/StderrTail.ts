/**
 * Keeps the end of a process's standard error, within a bound.
 */
import type { Redactor } from "./Redactor.ts"

/** How many bytes of the standard error are kept at least: 64 KiB. */
export const capacity = 64 * 1024

/** How many characters `text` returns at most. */
const shown = 4 * 1024

/** How many characters a message quotes at most. */
const quoted = 400

/**
 * Returns the end of a tail as the last sentence of a message, with a space before it: " Last stderr output: …".
 *
 * @param tail of it at most the last 400 characters are quoted, from the beginning of a word. Empty by default: the
 *   result is empty too
 */
export const lastWords = (tail = ""): string => {
  if (tail === "") return ""
  if (tail.length <= quoted) return ` Last stderr output: ${tail}`
  const end = tail.slice(-quoted - 1)
  return ` Last stderr output: ${end
    .slice(end.search(/\s/) + 1)
    .slice(-quoted)
    .toWellFormed()}`
}

/** The last part of what a process wrote to its standard error, to quote it in messages. */
export interface StderrTail {
  /**
   * Appends a chunk. At least the last 64 KiB are kept.
   *
   * @param chunk the bytes of one `data` event; a character or a secret that two chunks share is decoded or redacted as
   *   a whole
   */
  readonly push: (chunk: Buffer) => void
  /**
   * Returns whole lines from the end, at most 4,096 characters, without colours, control characters and secrets. A
   * longer last line is cut at its beginning.
   */
  readonly text: () => string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unprintable = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g

/**
 * Makes an empty tail for one process; register its `push` for the event `data` of the standard error.
 *
 * @param redact removes secrets from the text, before and after control characters are removed from it
 */
export const make = (redact: Redactor): StderrTail => {
  let chunks: Array<Buffer> = []
  let size = 0
  return {
    push: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= 2 * capacity && chunks.length <= 1024) return
      const whole = Buffer.concat(chunks)
      const kept = Buffer.from(whole.subarray(Math.max(0, whole.length - capacity)))
      chunks = [kept]
      size = kept.length
    },
    text: () => {
      const clean = redact(redact(Buffer.concat(chunks).toString("utf8")).replace(unprintable, "")).trim()
      return clean.length <= shown
        ? clean
        : clean
            .slice(clean.indexOf("\n", clean.length - shown) + 1)
            .slice(-shown)
            .toWellFormed()
    },
  }
}
