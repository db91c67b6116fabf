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
import type { FileEdit } from "./FileChanges.ts"

/**
 * What an agent asks before it acts.
 *
 * - `request`: without `changes`
 * - `isWider`: it asks to write more than the request's paths
 * - `edits`: what it asks to write, where it says so
 */
export interface Question {
  readonly request: McpApprovalRequest
  readonly isWider?: boolean
  readonly edits?: ReadonlyArray<FileEdit>
}

/**
 * Who hears a turn.
 *
 * - `started`: the thread outlives the agent from now on. Called once, before the agent's first word
 * - `event`: what the agent does, in order, all of it before the turn's end. Returns at once
 * - `room`: whether they keep up: an agent that only they wait for is held back until they do
 * - `approve`: asks before the agent acts. Always decides; interrupted when the turn is
 */
export interface TurnListener {
  readonly started: () => void
  readonly event: (event: McpEventContent) => void
  readonly room: ReadingRoom
  readonly approve: (question: Question) => Effect.Effect<McpApprovalReply>
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
 * - `open`: makes sure that a thread is there and can go on, before any prompt. `options` as in `turn`
 * - `turn`: one turn of a thread, new or known, also one of a server that is gone. Turns of a thread run one
 *   after the other. Interrupting it ends the agent's work, waits until that is so, and keeps the thread. `options`:
 *   what the caller gives beside the thread. Each is what the thread has already, or counts from this turn on, or the call
 *   fails with `option-refused` before anything is sent
 */
export interface AgentAttachment<StartOptions> {
  readonly start: (options: StartOptions) => Effect.Effect<string, AgentError>
  readonly open: (threadId: string, options?: StartOptions) => Effect.Effect<void, AgentError>
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
 * - `redact`: takes the secrets of the agent's environment out of a text
 * - `attach`: what one client holds. Its processes are shared where the agent allows it, start when they are needed, and
 *   have ended, with all their children, when the last Scope that needs them has closed
 */
export interface Agent<StartOptions> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly startOptions: Schema.Codec<StartOptions, unknown>
  readonly redact: (text: string) => string
  readonly attach: Effect.Effect<AgentAttachment<StartOptions>, never, Scope.Scope>
}
