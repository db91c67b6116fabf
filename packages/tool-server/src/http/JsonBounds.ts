/**
 * How deep and how large a JSON text is, before anything is made of it.
 *
 * @see promise 27
 */

/** What of a text is too much. */
export type Excess = "depth" | "elements"

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]

/**
 * One pass over the bytes. A text that is no JSON may pass; the parser refuses it.
 *
 * @param maxDepth how many arrays and objects may stand in one another
 * @param maxElements how many values all arrays and objects may hold together
 */
export const check = (text: Uint8Array, maxDepth: number, maxElements: number): Excess | undefined => {
  let depth = 0
  let elements = 0
  let isString = false
  let hasOpened = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (isString) {
      if (byte === backslash) at++
      else if (byte === quote) isString = false
      continue
    }
    if (isSpace(byte)) continue
    const isEnd = byte === 0x5d || byte === 0x7d
    // The first value of an array or object has no comma before it.
    if (byte === comma || (hasOpened && !isEnd)) elements++
    hasOpened = byte === 0x5b || byte === 0x7b
    if (byte === quote) isString = true
    else if (hasOpened) depth++
    else if (isEnd) depth--
    if (depth > maxDepth) return "depth"
    if (elements > maxElements) return "elements"
  }
  return undefined
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
