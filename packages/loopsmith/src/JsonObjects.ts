/**
 * The JSON objects in a text that is something else, such as an agent's answer with prose and fences.
 */

/**
 * Visits the top-level JSON objects of a text, in their order. Braces that are no object are passed over.
 *
 * @param text any text
 * @param visit is given each object
 * @returns whether the whole text was read. The work is linear in its length, so a text with too many braces that open
 *   and never close is given up on
 */
export const each = (text: string, visit: (object: Readonly<Record<string, unknown>>) => void): boolean => {
  let budget = 4 * text.length + leastBudget
  let start = opening(text, 0)
  while (start !== -1) {
    if (budget <= 0) return false
    const { end, isClosed } = closing(text, start)
    budget -= perObject + end - start
    const object = isClosed ? parsed(text.slice(start, end)) : undefined
    if (object !== undefined) visit(object)
    start = opening(text, object === undefined ? start + 1 : end)
  }
  return true
}

/** What even the shortest text is granted, in characters. */
const leastBudget = 1024 * 1024

/** What an object costs beside its characters. */
const perObject = 1024

/** Where the next brace is that may open an object: a key or the end comes after it. */
const opening = (text: string, from: number): number => {
  let start = text.indexOf("{", from)
  while (start !== -1) {
    let next = start + 1
    while (isSpace(text.charCodeAt(next))) next += 1
    const code = text.charCodeAt(next)
    if (code === quote || code === close) return start
    start = text.indexOf("{", next)
  }
  return -1
}

/** Where to stop reading from the brace at `start`: past the one that closes it, or where it is clear that none does. */
const closing = (text: string, start: number): { readonly end: number; readonly isClosed: boolean } => {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === backslash) at += 1
      else if (code === quote) inString = false
      // No string of JSON holds a line break, so this is prose.
      else if (code < space) return { end: at, isClosed: false }
    } else if (code === quote) inString = true
    else if (code === open) depth += 1
    else if (code === close) {
      depth -= 1
      if (depth === 0) return { end: at + 1, isClosed: true }
    }
  }
  return { end: text.length, isClosed: false }
}

const parsed = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const [quote, backslash, open, close, space] = [0x22, 0x5c, 0x7b, 0x7d, 0x20]

const isSpace = (code: number): boolean => code === space || code === 0x0a || code === 0x0d || code === 0x09
