/**
 * What is different about an agent, as one value: the shared machinery receives it and does the rest.
 */
import type { Answer, Driver } from "@zain/core/AgentConnection"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { HostGuard } from "@zain/process/HostGuard"
import type { JsonRpcNotification } from "@zain/process/JsonRpc"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { WireTarget } from "./McpWire.ts"

/** A call of one of the agent's tools. `meta`: what stands in its `_meta`. */
export interface ToolCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly meta?: Readonly<Record<string, unknown>>
}

/** The `result` of a tool call, as the server sent it. */
export interface ToolResult {
  readonly content?: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
  readonly _meta?: unknown
}

/**
 * One session with an agent.
 *
 * - `target`: the process to start, or the server to reach
 * - `prepare`: a call that must succeed before the session counts as open
 * - `call`: the tool call for a prompt; `threadId` is the conversation to continue, if there is one
 * - `read`: the answer in a tool's result
 * - `interrupted`: the conversation that a cancelled turn left behind, if it goes on; by default it is lost. Asked again
 *   before the next turn, if it was
 * - `heard`: hears every notification of the last call, also late ones, whether or not anybody reads the events. Returns the
 *   thread that can be gone on with from now on, where the notification names it
 * - `model`: the model that the session asks for, if it does
 * - `startsAnew`: after a first turn that was cancelled before its conversation was known, the next prompt starts one;
 *   by default that is lost too
 */
export interface AgentSession {
  readonly target: WireTarget
  readonly prepare?: ToolCall | undefined
  readonly call: (prompt: string, threadId: string | undefined) => ToolCall
  readonly read: (result: ToolResult, threadId: string | undefined) => Effect.Effect<Answer, McpError>
  readonly interrupted?: (threadId: string | undefined) => string | undefined
  readonly heard?: (notification: JsonRpcNotification) => string | undefined
  readonly model?: string | undefined
  readonly startsAnew?: boolean
}

/**
 * How a server asks before its agent acts.
 *
 * - `read`: what a request of the server's asks for, or `undefined` if that is no approval: it is refused then
 * - `write`: a decision as the result of that request
 * - `callOf`: the id of the call that a request belongs to, for a server that says it elsewhere than in `_meta.requestId`
 */
export interface ApprovalDialect {
  readonly read: (method: string, params: unknown) => McpApprovalRequest | undefined
  readonly write: (decision: McpApprovalReply) => unknown
  readonly callOf?: (params: unknown) => string | undefined
}

/** What a server calls itself in the handshake. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
}

/**
 * - `provider`, `supports`, `vendor`, `causeOf`: see `Driver` of core
 * - `options`: the schema of the provider's options
 * - `environment`: the variables of the host's environment that pass, beside the usual ones; a name may end in `*`
 * - `open`: prepares a session, maybe by what `SessionHost` offers; whatever it makes belongs to the Scope
 * - `approvals`: how the server asks; without it, whatever it asks is refused
 * - `conversation`: what carries the conversation from one turn to the next. `"thread"`, the default: the thread id of the
 *   last answer, and a turn after an answer without one fails with `conversation-lost`. `"session"`: the MCP session itself,
 *   for a server without thread ids; then `supports` decides what a cancelled turn and a failed one leave behind, and
 *   `interrupted` and `startsAnew` are ignored
 * - `experimental`: capabilities of no specification that are declared to the server
 * - `accepts`: why a server is not one that this profile speaks to, once it has said its name
 * - `event`: what a notification says, or `undefined` for a mere sign of life
 */
export interface AgentProfile<Options> extends Pick<Driver, "causeOf" | "provider" | "supports" | "vendor"> {
  readonly options: Schema.Codec<Options, unknown>
  readonly environment: ReadonlyArray<string>
  readonly open: (
    target: WireTarget,
    options: Options,
  ) => Effect.Effect<AgentSession, McpError, Scope.Scope | HostGuard>
  readonly approvals?: ApprovalDialect
  readonly conversation?: "session" | "thread"
  readonly experimental?: Readonly<Record<string, object>>
  readonly accepts?: (server: ServerInfo) => McpError | undefined
  readonly event: (notification: JsonRpcNotification) => McpEventContent | undefined
}
