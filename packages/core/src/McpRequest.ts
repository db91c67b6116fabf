/**
 * What a caller asks of an agent.
 */
import type * as Duration from "effect/Duration"

/**
 * One prompt.
 *
 * - `content`: at least one character. A space, an emoji or one kana is a valid prompt.
 * - `deadline`: the longest the whole `execute` may take, the wait for its turn included: a duration such as "5 minutes", or
 *   a number of milliseconds. None by default: agents work for hours, and `idleTimeout` of the connection already ends one
 *   that has gone silent.
 *
 * @see seed, requirements 5.1 to 5.3
 */
export interface McpRequest {
  readonly content: string
  readonly deadline?: Duration.Input
}

/** One prompt as `McpRequestParser.parse` gives it. */
export interface Parsed extends McpRequest {
  readonly deadline?: Duration.Duration
}
