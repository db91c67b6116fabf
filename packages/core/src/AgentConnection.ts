/**
 * What an adapter gives to the session runtime: how to connect to its agent, and how to take one turn.
 *
 * @see design, §4
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CauseOf } from "./FailedTurn.ts"
import type { McpApprovalPolicy, McpApprovalReply, McpApprovalRequest } from "./McpApproval.ts"
import type { McpSupports } from "./McpClientAdapter.ts"
import type { Parsed as ParsedConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { Parsed as ParsedRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/**
 * What a server is told of a span, in `_meta`: `traceparent`, and `tracestate` where there is one.
 *
 * @see MCP, SEP-414; W3C Trace Context
 */
export type TraceContext = Readonly<Record<string, string>>

/**
 * The span of a turn, for whoever makes a call of it.
 *
 * - `context`: goes with the call, so that what the server does becomes a part of the trace. None for a span that has no
 *   place in a trace of W3C's, and where propagation is off
 * - `called`: hears which tool was called, in which request
 * - `refused`: hears the code with which the server refused the request
 */
export interface TurnTrace {
  readonly context: TraceContext | undefined
  readonly called: (tool: string, requestId: string) => void
  readonly refused: (code: number) => void
}

/** A turn as its adapter sees it. */
export interface Turn {
  /** Says that the agent is alive. Restarts the idle limit. */
  readonly beat: () => void
  /** Tells an event, and that the agent is alive. `ThreadStarted` counts also when nobody reads, and once. */
  readonly emit: (event: McpEventContent) => void
  /** Asks the session's policy before the agent acts. Always decides, and tells both; the idle limit waits with it. */
  readonly approve: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply>
  /** Whether anybody reads the events. */
  readonly observed: () => boolean
  /** The turn's span, where somebody watches. */
  readonly trace?: TurnTrace | undefined
}

/** What an agent answered; the runtime adds provider and session. */
export type Answer = Omit<McpResponse, "provider" | "sessionId">

/**
 * A connection to one agent, made by an adapter.
 *
 * - `execute`: takes one turn, and runs at once: an `abort` from then on ends it. Never called again before it has ended.
 *   Interrupting it tells the server.
 * - `abort`: ends the turn under way, if any, with this error, and tells the server. Returns at once.
 * - `protocolVersion`, `model`: the version of MCP that was agreed on, and the model that was asked for, where there is one
 * - `redact`: takes the connection's secrets out of what a server says, before others see it
 */
export interface AgentConnection {
  readonly execute: (request: ParsedRequest, turn: Turn) => Effect.Effect<Answer, McpError>
  readonly abort: (error: McpError) => void
  readonly protocolVersion?: string | undefined
  readonly model?: string | undefined
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * What is different about an adapter. `vendor`: what OpenTelemetry's `gen_ai.provider.name` calls it, by default its
 * `provider`. `causeOf`: reads why a turn failed, where only the agent's user can help. Whatever `connect` acquires belongs to the session's Scope. `approvals` decides
 * what agents may do; by default what `McpApproval` says where the adapter is made. `maxTotalEventBytes`: how many bytes of
 * events may wait for the readers of all sessions, 128 MiB by default; `maxEventBytes` of a configuration says it for one.
 * `trace` is what the handshake may tell the server of the span under way, in its `_meta`.
 */
export interface Driver {
  readonly provider: McpProvider
  readonly supports: McpSupports
  readonly vendor?: string | undefined
  readonly causeOf?: CauseOf | undefined
  readonly approvals?: McpApprovalPolicy | undefined
  readonly maxTotalEventBytes?: number | undefined
  readonly connect: (
    config: ParsedConfig,
    sessionId: McpSessionId,
    trace?: TraceContext | undefined,
  ) => Effect.Effect<AgentConnection, McpError, Scope.Scope>
}
