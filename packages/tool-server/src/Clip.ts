/**
 * Shortens texts to a length.
 */

/** How much of a tool's output is sent, in characters. */
export const longestOutput = 16 * 1024

/** How much of an input a message quotes, in characters. */
export const longestEcho = 100

/**
 * Returns a text, or its beginning and an ellipsis.
 *
 * @param most the most characters of the result
 */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
