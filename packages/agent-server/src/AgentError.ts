/**
 * Why a turn has no answer of the agent's.
 */
import { McpDelivery } from "@zain/core/McpError"
import * as Schema from "effect/Schema"

/**
 * - `unknown-thread`: there is no such thread
 * - `thread-held`: another process holds the thread; `message` says which, and since when
 * - `start-failed`: the agent could not be started
 * - `agent-exited`: its process ended in the middle of a turn, or before it accepted the prompt
 * - `agent-refused`: it did not take the request; `message` says why, in its own words
 * - `option-refused`: an option that is given beside a thread cannot be applied to it; `message` begins with its name
 * - `model-unreachable`: its model has not answered for too long, and the turn was ended
 *
 * `delivery` is set when the agent never accepted the prompt: `not-sent` where that is proven.
 */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  reason: Schema.Literals([
    "unknown-thread",
    "thread-held",
    "start-failed",
    "agent-exited",
    "agent-refused",
    "option-refused",
    "model-unreachable",
  ]),
  message: Schema.String,
  delivery: Schema.optionalKey(McpDelivery),
}) {}

/** The same failure, with a verdict on the prompt. */
export const delivered = ({ message, reason }: AgentError, delivery: McpDelivery): AgentError =>
  new AgentError({ reason, message, delivery })
