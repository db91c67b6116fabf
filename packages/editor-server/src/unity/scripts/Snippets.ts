/**
 * Parts of files in results, within a number of bytes.
 */

/** The longest snippet, in characters. */
const longest = 400

/** Lines around a line, from 1. */
export const snippet = (lines: ReadonlyArray<string>, line: number, context: number): string => {
  const whole = lines.slice(Math.max(0, line - 1 - context), line + context).join("\n")
  const plain = whole.replaceAll("\r", "")
  return plain.length <= longest ? plain : `${plain.slice(0, longest)}…`
}

/** Counts the bytes of what is put into a result; says whether one more thing fits. */
export const budget = (most: number) => {
  let left = most
  return (part: unknown): boolean => {
    const bytes = Buffer.byteLength(JSON.stringify(part))
    if (bytes > left) return false
    left -= bytes
    return true
  }
}
