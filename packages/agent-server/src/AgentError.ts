/**
 * Why a turn has no answer from the agent.
 */
import { McpDelivery } from "@zain/core/McpError"
import * as Schema from "effect/Schema"

/** The agent could not run a turn, or could not finish it. */
export class AgentError extends Schema.TaggedError<AgentError>()("AgentError", {
  /**
   * - `unknown-thread`: the thread does not exist
   * - `thread-held`: another process holds the thread; `message` names it, and since when it holds the thread
   * - `start-failed`: the agent could not be started
   * - `agent-exited`: its process ended during a turn, or before it accepted the prompt
   * - `agent-refused`: it refused the request; `message` has its reason
   * - `invalid-config`: the options cannot apply where the agent runs, or its configuration is invalid; nothing was sent
   * - `option-refused`: an option beside a thread cannot apply to it; `message` begins with the option's name
   * - `not-supported`: it cannot do what a member of the request asks; nothing was sent
   * - `stalled`: it did not accept the prompt, or answer a request before it, within the accept timeout
   * - `model-unreachable`: its model did not answer within the model timeout, and the turn was ended
   */
  reason: Schema.Literals([
    "unknown-thread",
    "thread-held",
    "start-failed",
    "agent-exited",
    "agent-refused",
    "invalid-config",
    "option-refused",
    "not-supported",
    "stalled",
    "model-unreachable",
  ]),
  /** Cause and remedy, for people. */
  message: Schema.String,
  /** Set when the agent never accepted the prompt; `not-sent` where that is proven. */
  delivery: Schema.optionalKey(McpDelivery),
}) {}

/** Makes the error of a reason from its `message`. */
const of = (reason: AgentError["reason"]) => (message: string) => new AgentError({ reason, message })

export const invalidConfig = of("invalid-config")
export const notSupported = of("not-supported")
export const refused = of("agent-refused")
export const startFailed = of("start-failed")
export const unknownThread = of("unknown-thread")

/** The same error with a `delivery`. */
export const delivered = ({ message, reason }: AgentError, delivery: McpDelivery): AgentError =>
  new AgentError({ reason, message, delivery })
