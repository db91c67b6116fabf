/**
 * Lenient reads of a parsed JSON body: a missing value, or one of another type, reads as empty.
 */

/** A JSON object of any shape. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The objects in an array. */
export const records = (value: unknown): ReadonlyArray<JsonRecord> =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** The value if it is a string, else `""`. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "")

/** The texts of a message's content: a string or an array of parts in both APIs. */
export const texts = (content: unknown): ReadonlyArray<string> =>
  typeof content === "string"
    ? [content]
    : records(content).flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []))
