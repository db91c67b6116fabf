/**
 * How deep and how large a JSON text is, before anything is made of it.
 *
 * @see promise 27
 */

/**
 * - `maxDepth`: how many arrays and objects may stand in one another
 * - `maxElements`: how many values all arrays and objects may hold together
 */
export interface JsonBounds {
  readonly maxDepth: number
  readonly maxElements: number
}

export const defaults: JsonBounds = { maxDepth: 64, maxElements: 100_000 }

/** What of a text is too much. */
export type Excess = "depth" | "elements"

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]

/** One pass over the text. One that is no JSON may pass; the parser refuses it. */
export const check = (text: string, { maxDepth, maxElements }: JsonBounds): Excess | undefined => {
  // A level takes a character, and so does a value.
  if (text.length <= maxDepth && text.length <= maxElements) return undefined
  let depth = 0
  let elements = 0
  let isString = false
  let hasOpened = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isString) {
      if (unit === backslash) at++
      else if (unit === quote) isString = false
      continue
    }
    if (isSpace(unit)) continue
    const isEnd = unit === 0x5d || unit === 0x7d
    // The first value of an array or object has no comma before it.
    if (unit === comma || (hasOpened && !isEnd)) elements++
    hasOpened = unit === 0x5b || unit === 0x7b
    if (unit === quote) isString = true
    else if (hasOpened) depth++
    else if (isEnd) depth--
    if (depth > maxDepth) return "depth"
    if (elements > maxElements) return "elements"
  }
  return undefined
}

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
