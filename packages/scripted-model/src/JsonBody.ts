/**
 * Lenient reads of a parsed JSON body: what is not there, or is of another type, is empty.
 */

export type JsonRecord = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The objects in an array. */
export const records = (value: unknown): ReadonlyArray<JsonRecord> =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** A string, or `""`. */
export const string = (value: unknown): string => (typeof value === "string" ? value : "")

/** The texts of a message's content, which both APIs allow to be a string or an array of parts. */
export const texts = (content: unknown): ReadonlyArray<string> =>
  typeof content === "string"
    ? [content]
    : records(content).flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : []))
