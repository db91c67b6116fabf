/**
 * Schemas of an agent's options. Every option is optional; its description appears in the schema of the agent server's tool.
 */
import * as Schema from "effect/Schema"

/**
 * Makes the schema of an option that is a text of at least one character, and may be omitted.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const text = (description: string) =>
  Schema.optionalKey(Schema.String.annotate({ description }).check(Schema.isNonEmpty()))

/**
 * Makes an optional string that may be empty, such as instructions.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const instructions = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/**
 * Makes an optional list of strings of at least one character each.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const texts = (description: string) =>
  Schema.optionalKey(Schema.Array(Schema.NonEmptyString).annotate({ description }))

/**
 * Makes the schema of an option with a fixed set of values, which may be omitted.
 *
 * @param words the accepted values; the schema of the server's tool lists them
 * @param description what the option does, as the server's tool describes it
 */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words, description: string) =>
  Schema.optionalKey(Schema.Literals(words).annotate({ description }))

/**
 * Makes the schema of an option that is true or false, and may be omitted.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const flag = (description: string) => Schema.optionalKey(Schema.Boolean.annotate({ description }))

/**
 * Makes an optional JSON object of settings, which is passed to the agent unchecked.
 *
 * @param description what the option does, as the server's tool describes it
 */
export const settings = (description: string) =>
  Schema.optionalKey(Schema.Record(Schema.String, Schema.Json).annotate({ description }))
