/**
 * How deep and how large a JSON text is, before anything is made of it.
 *
 * @see promises 14 and 27
 */

/**
 * - `maxDepth`: how many arrays and objects may stand in one another
 * - `maxElements`: how many values all arrays and objects may hold together
 */
export interface JsonBounds {
  readonly maxDepth: number
  readonly maxElements: number
}

/** What of a text is too much. */
export type Excess = "depth" | "elements"

/** What a message is that is too large: one of too many bytes, unless its shape is too much. */
export const words = (excess: Excess | undefined, { maxDepth, maxElements }: Partial<JsonBounds>, maxBytes: number) => {
  if (excess === undefined) return `of more than ${maxBytes} bytes`
  return excess === "depth" ? `nested more than ${maxDepth} levels deep` : `with more than ${maxElements} values`
}

const [quote, backslash] = [0x22, 0x5c]

/** What a byte is outside of strings. Most are a part of a number, a word or a name, and plain. */
const [plain, space, comma, opening, closing, quotes] = [0, 1, 2, 3, 4, 5] as const
const kinds = new Uint8Array(256)
for (const [kind, bytes] of [
  [space, " \n\r\t"],
  [comma, ","],
  [opening, "[{"],
  [closing, "]}"],
  [quotes, '"'],
] as const) {
  for (const byte of Buffer.from(bytes)) kinds[byte] = kind
}

/** A quote that is no further away is found faster than a search begins, in bytes. */
const near = 64

const nextQuote = (bytes: Buffer, from: number): number => {
  const end = Math.min(bytes.length, from + near)
  for (let at = from; at < end; at++) if (bytes[at] === quote) return at
  const found = bytes.indexOf(quote, end)
  return found < 0 ? bytes.length : found
}

/** Where a text stands. */
interface State {
  depth: number
  elements: number
  isString: boolean
  isEscaped: boolean
  hasOpened: boolean
}

/** Whether what stands here is escaped by the backslashes before it, which may begin before these bytes. */
const isEscaped = (bytes: Buffer, from: number, at: number, state: State): boolean => {
  let run = at
  while (run > from && bytes[run - 1] === backslash) run--
  const isOdd = (at - run) % 2 === 1
  return run === from && state.isEscaped ? !isOdd : isOdd
}

// One function for all texts: one that each had of its own would be compiled for each.
const judge = (bytes: Buffer, state: State, { maxDepth, maxElements }: JsonBounds): Excess | undefined => {
  let { depth, elements, hasOpened, isString } = state
  for (let at = 0; at < bytes.length; at++) {
    if (isString) {
      const from = at
      at = nextQuote(bytes, from)
      isString = isEscaped(bytes, from, at, state)
      state.isEscaped = at === bytes.length && isString
      if (at === bytes.length) isString = true
      continue
    }
    const kind = kinds[bytes[at] as number]
    if (kind === space || (kind === plain && !hasOpened)) continue
    // The first value of an array or object has no comma before it.
    if ((kind === comma || (hasOpened && kind !== closing)) && ++elements > maxElements) return "elements"
    hasOpened = kind === opening
    if (kind === quotes) isString = true
    else if (kind === closing) depth--
    else if (hasOpened && ++depth > maxDepth) return "depth"
  }
  Object.assign(state, { depth, elements, hasOpened, isString })
  return undefined
}

/**
 * Judges one text, in one pass over its bytes as they arrive. One that is no JSON may pass; the parser refuses it.
 *
 * @returns takes the next bytes in UTF-8, cut anywhere, and says what is too much so far
 */
export const gauge = (bounds: JsonBounds): ((bytes: Buffer) => Excess | undefined) => {
  const state: State = { depth: 0, elements: 0, isString: false, isEscaped: false, hasOpened: false }
  let excess: Excess | undefined
  return (bytes) => {
    excess ??= judge(bytes, state, bounds)
    return excess
  }
}

/** How much of a text is turned into bytes at once, in code units. */
const slice = 64 * 1024

/** The same for a whole text. */
export const check = (text: string, bounds: JsonBounds): Excess | undefined => {
  // A level takes two characters, and so does a value with what divides it from the next.
  if (text.length <= 2 * Math.min(bounds.maxDepth, bounds.maxElements)) return undefined
  const push = gauge(bounds)
  // One buffer for all slices, whose code units take three bytes at most: many large ones wake the garbage collector.
  const bytes = Buffer.allocUnsafe(3 * Math.min(text.length, slice))
  for (let from = 0; from < text.length; from += slice) {
    const excess = push(bytes.subarray(0, bytes.write(text.slice(from, from + slice))))
    if (excess !== undefined) return excess
  }
  return undefined
}
