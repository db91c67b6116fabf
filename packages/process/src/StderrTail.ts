/**
 * The end of what a process wrote to its standard error. Always drained, never more than a bound.
 */
import type { Redactor } from "./Redactor.ts"

/** How much is kept, in bytes. */
export const capacity = 64 * 1024

/** How much of it a diagnosis shows, in characters. */
const shown = 4 * 1024

/** How much of it a message quotes, in characters. */
const quoted = 400

/** The end of a tail as a sentence of a message. A tail that is too long is cut between two words. */
export const lastWords = (tail = ""): string => {
  if (tail === "") return ""
  if (tail.length <= quoted) return ` It said last: ${tail}`
  const end = tail.slice(-quoted - 1)
  return ` It said last: ${end
    .slice(end.search(/\s/) + 1)
    .slice(-quoted)
    .toWellFormed()}`
}

export interface StderrTail {
  readonly push: (chunk: Buffer) => void
  /** The tail as text, without colours, control characters and secrets. */
  readonly text: () => string
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unprintable = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g

/** An empty tail. */
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
