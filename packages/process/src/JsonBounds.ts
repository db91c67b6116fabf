/**
 * Checks the depth and the number of values of a JSON text before it is parsed.
 *
 * @see docs/internals/promises.md, 14 and 27
 */

/** The shape that a JSON text may have: how deep it is nested, and how many values it contains. */
export interface JsonBounds {
  /** How many levels deep arrays and objects may be nested; `[1]` has one level. */
  readonly maxDepth: number
  /** How many values all arrays and objects of the text may contain together. */
  readonly maxElements: number
}

/** The limit that a text exceeds: `depth` is `maxDepth`, `elements` is `maxElements`. */
export type Excess = "depth" | "elements"

/**
 * Describes a text that was rejected, to follow a noun in a message: "of more than 100 bytes", "nested more than 10
 * levels deep", "with more than 1000 values".
 *
 * @param excess the limit that was exceeded; `undefined` for the limit of bytes
 * @param bounds the limits that the text had to meet; the description has the exceeded one
 * @param maxBytes the longest text that was allowed, in bytes
 */
export const words = (excess: Excess | undefined, { maxDepth, maxElements }: Partial<JsonBounds>, maxBytes: number) => {
  if (excess === undefined) return `of more than ${maxBytes} bytes`
  return excess === "depth" ? `nested more than ${maxDepth} levels deep` : `with more than ${maxElements} values`
}

const [quote, backslash] = [0x22, 0x5c]

/** Kinds of bytes outside of strings. `plain` is a part of a number, `true`, `false` or `null`. */
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

/** Up to this distance a loop finds a quote faster than `indexOf`, in bytes. */
const near = 64

const nextQuote = (bytes: Buffer, from: number): number => {
  const end = Math.min(bytes.length, from + near)
  for (let at = from; at < end; at++) if (bytes[at] === quote) return at
  const found = bytes.indexOf(quote, end)
  return found < 0 ? bytes.length : found
}

/** The state between two pieces of a text. */
interface State {
  depth: number
  elements: number
  isString: boolean
  isEscaped: boolean
  hasOpened: boolean
}

/** Whether the byte at `at` is escaped by the backslashes before it, which may begin in an earlier piece. */
const isEscaped = (bytes: Buffer, from: number, at: number, state: State): boolean => {
  let run = at
  while (run > from && bytes[run - 1] === backslash) run--
  const isOdd = (at - run) % 2 === 1
  return run === from && state.isEscaped ? !isOdd : isOdd
}

// One function for all texts: a closure for each text would be compiled anew for each.
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
 * Checks the next piece of a text, and returns the first limit exceeded so far, or `undefined`.
 *
 * @param bytes the next piece in UTF-8, cut anywhere
 */
export type Gauge = (bytes: Buffer) => Excess | undefined

/**
 * Checks one text as its bytes arrive, in one pass. Invalid JSON may pass: the parser rejects it.
 *
 * @param bounds how deep the text may be nested, and how many values it may contain, such as `{ maxDepth: 1_000,
 *   maxElements: 1_000_000 }`
 * @returns a function to call with each piece of the text
 */
export const gauge = (bounds: JsonBounds): Gauge => {
  const state: State = { depth: 0, elements: 0, isString: false, isEscaped: false, hasOpened: false }
  let excess: Excess | undefined
  return (bytes) => {
    excess ??= judge(bytes, state, bounds)
    return excess
  }
}

/** How much of a text is encoded at once, in UTF-16 code units. */
const slice = 64 * 1024

/**
 * Checks a whole text. Invalid JSON may pass: the parser rejects it.
 *
 * @param text a whole JSON document of any length; it is checked in pieces, without a copy of the whole
 * @param bounds how deep the text may be nested, and how many values it may contain, such as `{ maxDepth: 1_000,
 *   maxElements: 1_000_000 }`
 * @returns the first limit exceeded, or `undefined`
 */
export const check = (text: string, bounds: JsonBounds): Excess | undefined => {
  // A level takes two characters, and so does a value with its separator.
  if (text.length <= 2 * Math.min(bounds.maxDepth, bounds.maxElements)) return undefined
  const push = gauge(bounds)
  // One buffer for all slices, as many large ones would trigger the garbage collector. A code unit takes at most 3
  // bytes.
  const bytes = Buffer.allocUnsafe(3 * Math.min(text.length, slice))
  for (let from = 0; from < text.length; from += slice) {
    const excess = push(bytes.subarray(0, bytes.write(text.slice(from, from + slice))))
    if (excess !== undefined) return excess
  }
  return undefined
}
