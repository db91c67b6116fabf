/**
 * Finds the JSON objects in a text with prose and fences, such as an agent's answer.
 */

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Visits the top-level JSON objects of a text, in their order. Braces that open no JSON object are skipped.
 *
 * @param text any text
 * @param visit receives each object, and the text that it was parsed from
 * @returns whether the whole text was read. The work is linear in its length: reading stops at too much JSON, or too many
 *   braces that open and never close
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

/** The least budget, in characters, for any text. */
const leastBudget = 1024 * 1024

/** The cost of an object, a list, a string and a comma beside their characters: each becomes a value of its own. */
const perPiece = 16

/** The cost of a text with balanced braces that `JSON.parse` rejects. */
const perFailure = 1024

/** The index of the next brace that may open an object: a key or the closing brace follows it. */
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

/** Where to stop reading from the brace at `start`: after its closing brace, or where it cannot have one. */
const closing = (text: string, start: number): Closing => {
  let depth = 0
  let inString = false
  let pieces = 0
  const stopped = (end: number, isClosed: boolean) => ({ end, isClosed, cost: end - start + pieces * perPiece })
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
      // A JSON string holds no line break, so this is prose.
      else if (code < space) return stopped(at, false)
      continue
    }
    if (code === quote) inString = true
    else if (code === open) depth += 1
    else if (code === close) {
      depth -= 1
      if (depth === 0) return stopped(at + 1, true)
      continue
    } else if (code !== bracket && code !== comma) continue
    pieces += 1
  }
  return stopped(text.length, false)
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
