/**
 * Schemas of an agent's options. Each may be left out, and has the description that the tool of the agent's server shows.
 */
import * as Schema from "effect/Schema"

/** A text that is not empty. */
export const text = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description }).check(Schema.isNonEmpty()))

/** A text that may be empty, such as instructions. */
export const instructions = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** Texts that are not empty. */
export const texts = (description: string) =>
  Schema.optionalKey(Schema.Array(Schema.NonEmptyString).annotate({ description }))

/** One of these words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words, description: string) =>
  Schema.optionalKey(Schema.Literals(words).annotate({ description }))

/** `true` or `false`. */
export const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/** An object of settings that only the agent reads. */
export const settings = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.Json).annotate({ description }))
