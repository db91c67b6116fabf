/**
 * Finds the JSON objects in a text with prose and fences, such as an agent's answer.
 */
import * as NearJson from "./NearJson.ts"

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Visits the top-level JSON objects of a text, in their order. Braces that open no JSON object are skipped.
 *
 * @param text any text
 * @param visit receives each object, the text that it was parsed from, the index of that text, and what was repaired
 * @param unread if given, objects of at most 256 Ki characters are repaired as `NearJson.repair` does; it receives the text from
 *   each brace that may open an object and opens none, and its index
 * @returns whether the whole text was read. The work is linear in its length: reading stops at too much JSON, or too many
 *   braces that open and never close
 */
export const each = (
  text: string,
  visit: (object: JsonObject, source: string, start: number, faults: ReadonlyArray<NearJson.Fault>) => void,
  unread?: (source: string, start: number) => void,
): boolean => {
  const isNear = unread !== undefined
  let budget = text.length + minBudget
  let start = opening(text, 0, isNear)
  while (start !== -1) {
    const { cost, end, isClosed } = closing(text, start, isNear)
    budget -= cost
    if (budget <= 0) return false
    const source = text.slice(start, end)
    const exact = isClosed ? parsed(source) : undefined
    const isRepaired = isNear && isClosed && exact === undefined
    const { faults, json } = isRepaired ? NearJson.repair(source) : asIs
    const object = exact ?? (json === undefined ? undefined : parsed(json))
    if (object !== undefined) visit(object, source, start, faults)
    else if (isClosed || end === text.length) unread?.(source, start)
    if (isRepaired) budget -= source.length * perRepaired
    if (isClosed && object === undefined) budget -= perFailure
    start = opening(text, object === undefined ? start + 1 : end, isNear)
  }
  return true
}

const asIs = { faults: [], json: undefined }

/** The least budget, in characters, for any text. */
const minBudget = 1024 * 1024

/** The cost of an object, a list, a string and a comma beside their characters: each becomes a value of its own. */
const perPiece = 16

/** The cost of a text with balanced braces that `JSON.parse` rejects; of a repair, for each character. */
const perFailure = 1024
const perRepaired = 8

/** The longest text that is repaired, in characters. */
const maxRepairedLength = 256 * 1024

/** The index of the next brace that may open an object: a key, the closing brace or, if `isNear`, a comment follows it. */
const opening = (text: string, from: number, isNear: boolean): number => {
  for (let start = from; start < text.length; start += 1) {
    if (text.charCodeAt(start) !== open) continue
    let next = start + 1
    while (isSpace(text.charCodeAt(next))) next += 1
    const code = text.charCodeAt(next)
    if (code === quote || code === close || (isNear && code === slash)) return start
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
const closing = (text: string, start: number, isNear: boolean): Closing => {
  let depth = 0
  let inString = false
  let pieces = 0
  const last = isNear ? Math.min(text.length, start + maxRepairedLength) : text.length
  const stopped = (end: number, isClosed: boolean) => ({ end, isClosed, cost: end - start + pieces * perPiece })
  for (let at = start; at < last; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
      // A JSON string holds no line break, so this is prose.
      else if (code < space && !isNear) return stopped(at, false)
      continue
    }
    if (code === quote) inString = true
    else if (isNear && code === slash) at = commentEnd(text, at, last)
    else if (code === open) depth += 1
    else if (code === close) {
      depth -= 1
      if (depth === 0) return stopped(at + 1, true)
      continue
    } else if (code !== bracket && code !== comma) continue
    pieces += 1
  }
  return stopped(last, false)
}

/** The index of the last character of the comment at `start`; `start` if there is none. */
const commentEnd = (text: string, start: number, last: number): number => {
  const kind = text.charCodeAt(start + 1)
  if (kind !== slash && kind !== star) return start
  for (let at = start + 2; at < last; at += 1) {
    const code = text.charCodeAt(at)
    if (kind === slash && (code === 0x0a || code === 0x0d)) return at
    if (kind === star && code === star && text.charCodeAt(at + 1) === slash) return at + 1
  }
  return last
}

const parsed = (text: string): JsonObject | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const [quote, backslash, open, close, space, bracket, comma] = [0x22, 0x5c, 0x7b, 0x7d, 0x20, 0x5b, 0x2c]
const [slash, star] = [0x2f, 0x2a]

const isSpace = (code: number): boolean => code === space || code === 0x0a || code === 0x0d || code === 0x09
