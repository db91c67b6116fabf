/**
 * What a client wrote, as messages repeat it.
 */

/** How much of it is repeated, in characters. */
export const maxQuotedLength = 80

/** A text between quotation marks, as JSON has it, up to `maxQuotedLength`. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, maxQuotedLength))
