/**
 * The text of a script, its bytes, and its parts in results.
 */

export interface ScriptText {
  /** Without a byte order mark. */
  readonly text: string
  readonly hasMark: boolean
  /** Whether the bytes are UTF-8, and come back as they are when the text is written. */
  readonly isExact: boolean
}

const mark = "\uFEFF"

export const decode = (bytes: Uint8Array): ScriptText => {
  const read = (isFatal: boolean) => new TextDecoder("utf-8", { fatal: isFatal, ignoreBOM: true }).decode(bytes)
  const [whole, isExact] = attempt(read)
  return whole.startsWith(mark)
    ? { text: whole.slice(mark.length), hasMark: true, isExact }
    : { text: whole, hasMark: false, isExact }
}

const attempt = (read: (isFatal: boolean) => string): readonly [text: string, isExact: boolean] => {
  try {
    return [read(true), true]
  } catch {
    return [read(false), false]
  }
}

export const encode = ({ hasMark, text }: Pick<ScriptText, "hasMark" | "text">): Buffer =>
  Buffer.from(hasMark ? mark + text : text, "utf8")

/** How most lines of a text end. */
export const lineEnding = (text: string): "\n" | "\r\n" => {
  const all = count(text, "\n")
  return count(text, "\r\n") * 2 > all ? "\r\n" : "\n"
}

const count = (text: string, part: string): number => {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++
  return found
}

/** A text with the line endings of another. */
export const inEndingsOf = (text: string, other: string): string => text.replace(/\r?\n/g, lineEnding(other))

/** Replaces parts of a text, which do not overlap, in any order. */
export const replaced = (
  text: string,
  parts: ReadonlyArray<{ readonly start: number; readonly end: number; readonly by: string }>,
): string => {
  const pieces: Array<string> = []
  let from = 0
  for (const { by, end, start } of parts.toSorted((one, other) => one.start - other.start)) {
    pieces.push(text.slice(from, start), by)
    from = end
  }
  return pieces.join("") + text.slice(from)
}

/** The line of a place, from 1. */
export const lineOf = (text: string, at: number): number => count(text.slice(0, at), "\n") + 1

/** Begins and ends of the line that a place is in; the end is before the line break. */
export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1
export const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  if (end < 0) return text.length
  return text[end - 1] === "\r" && end > at ? end - 1 : end
}

/** The maxSnippetLength snippet, in characters. */
const maxSnippetLength = 400

/** Lines around a line, from 1. */
export const snippet = (lines: ReadonlyArray<string>, line: number, context: number): string => {
  const whole = lines.slice(Math.max(0, line - 1 - context), line + context).join("\n")
  const plain = whole.replaceAll("\r", "")
  return plain.length <= maxSnippetLength ? plain : `${plain.slice(0, maxSnippetLength)}…`
}

/** Counts the bytes of what is put into a result; says whether one more thing fits. */
export const budget = (max: number) => {
  let left = max
  return (part: unknown): boolean => {
    const bytes = Buffer.byteLength(JSON.stringify(part))
    if (bytes > left) return false
    left -= bytes
    return true
  }
}
