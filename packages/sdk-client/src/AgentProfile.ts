/**
 * What is different about an agent, as one value: the shared machinery receives it and does the rest.
 */
import type { McpSupports } from "@zain/core/McpClientAdapter"
import type { McpError } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpProvider } from "@zain/core/McpProvider"
import type { Answer } from "@zain/core/McpSessionRuntime"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { JsonRpcNotification } from "./JsonRpc.ts"
import type { WireTarget } from "./McpWire.ts"
import type { SessionHost } from "./SessionHost.ts"

/** A call of one of the agent's tools. */
export interface ToolCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The `result` of a tool call, as the server sent it. */
export interface ToolResult {
  readonly content?: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
}

/**
 * One session with an agent.
 *
 * - `target`: the process to start, or the server to reach
 * - `call`: the tool call for a prompt; `threadId` is the conversation to continue, if there is one
 * - `read`: the answer in a tool's result
 * - `interrupted`: the conversation that a cancelled turn left behind, if it goes on; by default it is lost
 */
export interface AgentSession {
  readonly target: WireTarget
  readonly call: (prompt: string, threadId: string | undefined) => ToolCall
  readonly read: (result: ToolResult, threadId: string | undefined) => Effect.Effect<Answer, McpError>
  readonly interrupted?: (threadId: string | undefined) => string | undefined
}

/**
 * - `provider`, `supports`: see core
 * - `options`: the schema of the provider's options
 * - `environment`: the variables of the host's environment that pass, beside the usual ones; a name may end in `*`
 * - `open`: prepares a session; whatever it makes belongs to the Scope
 * - `answer`: the result of a request that the server makes, or `undefined` to refuse it
 * - `event`: what a notification says, or `undefined` for a mere sign of life
 */
export interface AgentProfile<Options> {
  readonly provider: McpProvider
  readonly supports: McpSupports
  readonly options: Schema.Codec<Options, unknown>
  readonly environment: ReadonlyArray<string>
  readonly open: (
    target: WireTarget,
    options: Options,
    host: SessionHost,
  ) => Effect.Effect<AgentSession, McpError, Scope.Scope>
  readonly answer: (method: string, params: unknown) => unknown
  readonly event: (notification: JsonRpcNotification) => McpEventContent | undefined
}
