/**
 * What the server needs of an agent: the seam between MCP and the agents' own protocols.
 */
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpUsage } from "@zain/core/McpResponse"
import type { ReadingRoom } from "@zain/tool-server/ReadingRoom"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { AgentError } from "./AgentError.ts"

/**
 * Who hears a turn.
 *
 * - `event`: what the agent does, in order, all of it before the turn's end. Returns at once
 * - `room`: whether they keep up: an agent that only they wait for is held back until they do
 * - `approve`: asks before the agent acts. Always decides; interrupted when the turn is. `isWider`: it asks to write more
 *   than the request's paths
 */
export interface TurnListener {
  readonly event: (event: McpEventContent) => void
  readonly room: ReadingRoom
  readonly approve: (request: McpApprovalRequest, isWider?: boolean) => Effect.Effect<McpApprovalReply>
}

/** `isError`: the agent ran and says that its turn failed; `content` says why. */
export interface TurnResult {
  readonly content: string
  readonly isError: boolean
  readonly usage?: McpUsage
}

/**
 * An agent at work for one client.
 *
 * - `start`: makes a thread, and gives its id at once
 * - `turn`: one turn of a thread, new or known, also one of a server that is gone. Turns of a thread run one
 *   after the other. Interrupting it ends the agent's work, waits until that is so, and keeps the thread. `options`:
 *   what the caller gives beside the thread. Each is what the thread has already, or counts from this turn on, or the call
 *   fails with `option-refused` before anything is sent
 */
export interface AgentAttachment<StartOptions> {
  readonly start: (options: StartOptions) => Effect.Effect<string, AgentError>
  readonly turn: (
    threadId: string,
    prompt: string,
    listener: TurnListener,
    options?: StartOptions,
  ) => Effect.Effect<TurnResult, AgentError>
}

/**
 * What is different about an agent.
 *
 * - `name`: of its tool; the tool that goes on is `<name>-reply`
 * - `title`, `description`: for people and models who choose among tools
 * - `startOptions`: the arguments of the first tool beside `prompt`, by the names that clients use. Unknown keys are
 *   refused with their path
 * - `attach`: what one client holds. Its processes are shared where the agent allows it, start when they are needed, and
 *   have ended, with all their children, when the last Scope that needs them has closed
 */
export interface Agent<StartOptions> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly startOptions: Schema.Codec<StartOptions, unknown>
  readonly attach: Effect.Effect<AgentAttachment<StartOptions>, never, Scope.Scope>
}
