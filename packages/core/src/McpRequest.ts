/**
 * What a caller asks of an agent.
 */
import * as Schema from "effect/Schema"

/**
 * One prompt.
 *
 * - `content`: at least one character. A space, an emoji or one kana is a valid prompt.
 * - `deadline`: the longest the whole `execute` may take, the wait for its turn included. None by default: agents work
 *   for hours, and `idleTimeout` of the connection already ends one that has gone silent.
 *
 * @see seed, requirements 5.1 to 5.3
 */
export const McpRequest = Schema.Struct({
  content: Schema.NonEmptyString,
  deadline: Schema.optionalKey(Schema.Duration),
})
export type McpRequest = typeof McpRequest.Type
