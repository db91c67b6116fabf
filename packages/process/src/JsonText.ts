/**
 * Writes and reads the JSON texts that are exchanged with other programs.
 */

/** The beginning of an escaped surrogate, unless a backslash precedes it. */
const surrogate = /\\u[dD]/g

const codeAt = (text: string, at: number): number =>
  text[at] === "\\" && text[at + 1] === "u" ? Number.parseInt(text.slice(at + 2, at + 6), 16) : Number.NaN

/** Replaces each escape of half a surrogate pair by U+FFFD, in time linear in the text. */
const mended = (text: string): string => {
  const parts: Array<string> = []
  let from = 0
  surrogate.lastIndex = 0
  while (surrogate.test(text)) {
    const at = surrogate.lastIndex - 3
    let run = at
    while (text[run - 1] === "\\") run--
    const code = (at - run) % 2 === 0 ? codeAt(text, at) : 0
    if (!(code >= 0xd800 && code <= 0xdfff)) continue
    const next = code < 0xdc00 ? codeAt(text, at + 6) : 0
    if (next >= 0xdc00 && next <= 0xdfff) {
      surrogate.lastIndex = at + 12
      continue
    }
    parts.push(text.slice(from, at))
    from = at + 6
  }
  return from === 0 ? text : [...parts, text.slice(from)].join("\uFFFD")
}

/**
 * Writes a value as JSON that every reader of lines and of UTF-8 accepts: half a surrogate pair becomes U+FFFD, and
 * U+2028 and U+2029, which some readers take for line breaks, are escaped. Throws only if JSON cannot represent the
 * value, such as a `bigint`.
 *
 * @param value an object, such as a message; members that are `undefined` are omitted
 * @example
 * ```ts
 * import * as JsonText from "@zain/process/JsonText"
 *
 * JsonText.write({ prompt: "Fix the bug 🐛".slice(0, 13) }) // {"prompt":"Fix the bug \uFFFD"}
 * ```
 */
export const write = (value: unknown): string => {
  const text = JSON.stringify(value)
  const legible = text.includes("\\ud") ? mended(text) : text
  return legible.includes("\u2028") || legible.includes("\u2029")
    ? legible.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
    : legible
}

/**
 * Parses a JSON text of another program. A byte order mark before it is skipped, and an escaped half of a surrogate pair
 * becomes U+FFFD. Throws a `SyntaxError` for a text that is not JSON.
 *
 * @param text the whole text, decoded from UTF-8
 */
export const read = (text: string): unknown => {
  const bare = text.startsWith("\uFEFF") ? text.slice(1) : text
  return JSON.parse(bare.includes("\\ud") || bare.includes("\\uD") ? mended(bare) : bare)
}

/**
 * Replaces each escaped half of a surrogate pair in bytes of JSON by U+FFFD.
 *
 * @param bytes UTF-8 that a library has written, such as one event with JSON as its data; not cut within an escape
 * @returns the same bytes where nothing is replaced
 */
export const wellFormed = (bytes: Uint8Array): Uint8Array => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return buffer.includes("\\ud") ? Buffer.from(mended(buffer.toString("utf8"))) : bytes
}
