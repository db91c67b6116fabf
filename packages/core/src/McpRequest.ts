/**
 * The request of one turn.
 */
import type * as Duration from "effect/Duration"

/**
 * The argument of `execute`: one prompt and, optionally, how long the whole call may take, the wait for its turn
 * included.
 *
 * @see seed, requirements 5.1 to 5.3
 */
export interface McpRequest {
  /** The prompt: at least one character, which may be a space. The agent receives it unchanged. */
  readonly content: string
  /**
   * How long the whole `execute` may take, the wait for its turn included: text such as `"5 minutes"`, or a number of
   * milliseconds. Then it fails with `ConnectionUnavailable`, `deadline-exceeded`, and the agent's turn is cancelled.
   * The conversation continues with the next `execute` if `supports.cancelKeepsConversation` of the client is true.
   * None by default: agents may work for hours, and `idleTimeout` of the connection ends silent turns.
   */
  readonly deadline?: Duration.Input | string
}

/** A prompt that `McpRequestParser.parse` has read: never empty, its deadline a `Duration`. */
export interface Parsed extends McpRequest {
  /** How long the whole `execute` may take, above zero; absent if the request has no deadline. */
  readonly deadline?: Duration.Duration
}
