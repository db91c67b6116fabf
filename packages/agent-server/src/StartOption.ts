/**
 * Schemas of what a thread may be started with: all of it may stay away, and says what it is.
 */
import * as Schema from "effect/Schema"

/** Some text. */
export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** One of a few words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words, description: string) =>
  Schema.optionalKey(Schema.Literals(words).annotate({ description }))

/** Some texts, none of them empty. */
export const texts = (description: string) =>
  Schema.optionalKey(Schema.Array(Schema.NonEmptyString).annotate({ description }))

/** Whether something is so; it is not where it is left out. */
export const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/** Settings that only the agent knows. */
export const settings = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown).annotate({ description }))
