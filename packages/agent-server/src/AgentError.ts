/**
 * Why a turn has no answer of the agent's.
 */
import * as Schema from "effect/Schema"

/**
 * - `unknown-thread`: there is no such thread
 * - `start-failed`: the agent could not be started
 * - `agent-exited`: its process ended in the middle of a turn
 * - `agent-refused`: it did not take the request; `message` says why, in its own words
 * - `model-unreachable`: its model has not answered for too long, and the turn was ended
 */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  reason: Schema.Literals(["unknown-thread", "start-failed", "agent-exited", "agent-refused", "model-unreachable"]),
  message: Schema.String,
}) {}
