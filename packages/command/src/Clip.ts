/**
 * Shortens texts to a length.
 */

/** How much of a tool's output is sent, in characters. */
export const maxOutputLength = 16 * 1024

/** How much of an input a message quotes, in characters. */
export const maxEchoLength = 100

/** Returns a place in a text, or the one before it if it is within a surrogate pair. */
export const boundary = (text: string, place: number): number =>
  place < text.length && /[\uD800-\uDBFF]/.test(text.charAt(place - 1)) ? place - 1 : place

/**
 * Returns a text, or its beginning and an ellipsis.
 *
 * @param max the most characters of the result
 */
export const clip = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, boundary(text, max - 1))}…`
