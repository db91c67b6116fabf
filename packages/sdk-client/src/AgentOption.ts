/**
 * Schemas of an agent's options. Every option is optional; its description appears in the schema of the agent server's tool.
 */
import * as Schema from "effect/Schema"

/**
 * Makes an optional string of at least one character.
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
 * Makes an optional choice.
 *
 * @param words the accepted values
 * @param description what the option does, as the server's tool describes it
 */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words, description: string) =>
  Schema.optionalKey(Schema.Literals(words).annotate({ description }))

/**
 * Makes an optional boolean.
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
