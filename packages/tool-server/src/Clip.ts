/**
 * Texts of any length, told in a bounded space.
 */

/** How much of a tool's output is told, in characters. */
export const longestOutput = 16 * 1024

/** How much of what somebody gave is said back to them, in characters. */
export const longestEcho = 100

/**
 * A text, or its beginning and an ellipsis.
 *
 * @param most how long the whole may be, in characters
 */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
