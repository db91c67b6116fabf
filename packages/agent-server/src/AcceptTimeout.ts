/**
 * Ends a turn that its agent does not accept in time.
 */
import type { McpDelivery } from "@zain/core/McpError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { AgentError } from "./AgentError.ts"

const stalled = (what: string, limit: Duration.Duration, delivery: McpDelivery): AgentError =>
  new AgentError({
    reason: "stalled",
    message: `${what} within ${Duration.format(limit)}. If it needs longer, increase \`acceptTimeout\` of \`local()\` (--accept-timeout).`,
    delivery,
  })

/**
 * Fails with `stalled` if an effect takes longer than the limit.
 *
 * @param what the agent and what it did not do, such as "Codex did not accept the prompt"
 */
export const within = (what: string, limit: Duration.Duration, delivery: McpDelivery) =>
  Effect.timeoutOrElse({ duration: limit, orElse: () => stalled(what, limit, delivery) })
