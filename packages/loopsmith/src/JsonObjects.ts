/**
 * The JSON objects in a text that is something else, such as an agent's answer with prose and fences.
 */

/** An object of JSON, read. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Visits the top-level JSON objects of a text, in their order. Braces that are no object are passed over.
 *
 * @param text any text
 * @param visit is given each object, and the text that it was read from
 * @returns whether the whole text was read. The work is linear in its length, so a text with too much JSON, or with too
 *   many braces that open and never close, is given up on
 */
export const each = (text: string, visit: (object: JsonObject, source: string) => void): boolean => {
  let budget = text.length + leastBudget
  let start = opening(text, 0)
  while (start !== -1) {
    const { cost, end, isClosed } = closing(text, start)
    budget -= cost
    if (budget <= 0) return false
    const source = isClosed ? text.slice(start, end) : undefined
    const object = source === undefined ? undefined : parsed(source)
    if (source !== undefined && object !== undefined) visit(object, source)
    else if (source !== undefined) budget -= perFailure
    start = opening(text, object === undefined ? start + 1 : end)
  }
  return true
}

/** What even the shortest text is granted, in characters. */
const leastBudget = 1024 * 1024

/** What an object, a list, a string and a comma cost beside their characters: what is between them is made one by one. */
const perPiece = 16

/** What it costs that a text with all its braces closed is no JSON after all. */
const perFailure = 1024

/** Where the next brace is that may open an object: a key or the end comes after it. */
const opening = (text: string, from: number): number => {
  for (let start = from; start < text.length; start += 1) {
    if (text.charCodeAt(start) !== open) continue
    let next = start + 1
    while (isSpace(text.charCodeAt(next))) next += 1
    const code = text.charCodeAt(next)
    if (code === quote || code === close) return start
    start = next - 1
  }
  return -1
}

interface Closing {
  readonly end: number
  readonly isClosed: boolean
  readonly cost: number
}

/** Where to stop reading from the brace at `start`: past the one that closes it, or where it is clear that none does. */
const closing = (text: string, start: number): Closing => {
  let depth = 0
  let inString = false
  let pieces = 0
  const told = (end: number, isClosed: boolean) => ({ end, isClosed, cost: end - start + pieces * perPiece })
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
      // No string of JSON holds a line break, so this is prose.
      else if (code < space) return told(at, false)
      continue
    }
    if (code === quote) inString = true
    else if (code === open) depth += 1
    else if (code === close) {
      depth -= 1
      if (depth === 0) return told(at + 1, true)
      continue
    } else if (code !== bracket && code !== comma) continue
    pieces += 1
  }
  return told(text.length, false)
}

const parsed = (text: string): JsonObject | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const [quote, backslash, open, close, space, bracket, comma] = [0x22, 0x5c, 0x7b, 0x7d, 0x20, 0x5b, 0x2c]

const isSpace = (code: number): boolean => code === space || code === 0x0a || code === 0x0d || code === 0x09
