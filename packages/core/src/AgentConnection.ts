/**
 * The interface between an adapter and the session runtime: how to connect to an agent, and how to run one turn.
 *
 * @see docs/concepts/sessions.md
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CauseOf } from "./FailedTurn.ts"
import type { McpApprovalPolicy, McpApprovalReply, McpApprovalRequest } from "./McpApproval.ts"
import type { McpSupports } from "./McpClientAdapter.ts"
import type { Parsed as ParsedConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { McpEventContent } from "./McpEvents.ts"
import type { JsonSchema } from "./McpOutput.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { Parsed as ParsedRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import type { McpSteered } from "./McpSteer.ts"
import type { McpThreadPage, McpThreadQuery, McpThreadTurns, McpTurnQuery } from "./McpThreads.ts"
import type { ToolDefinition } from "./ToolDefinition.ts"

/**
 * The trace of a request, for its `_meta`: `traceparent`, and `tracestate` if there is one.
 *
 * @see MCP, SEP-414; W3C Trace Context
 */
export type TraceContext = Readonly<Record<string, string>>

/** The span of a turn, for the adapter that sends the turn's request. Exists only while the host has a tracer. */
export interface TurnTrace {
  /**
   * The trace to send in `_meta` of the request, so that the server's spans join it. `undefined` for a span without
   * valid W3C ids, and where propagation is disabled.
   */
  readonly context: TraceContext | undefined
  /**
   * Records on the span which tool the turn called. Call it when the request is sent: the duration of the request
   * starts here.
   *
   * @param tool the name of the tool, for `gen_ai.tool.name`
   * @param requestId the id of the JSON-RPC request, for `jsonrpc.request.id`
   */
  readonly called: (tool: string, requestId: string) => void
  /**
   * Records on the span that the server answered the request with an error.
   *
   * @param code the code of the JSON-RPC error, for `rpc.response.status_code`
   */
  readonly refused: (code: number) => void
}

/** What a tool of the session's own has answered, for the agent's model. */
export interface ToolAnswer {
  /** The result, or why there is none: at most 256 KiB. */
  readonly text: string
  /** Whether the call failed; its turn goes on. */
  readonly isError: boolean
}

/**
 * What an adapter uses while it runs one turn: it emits events, asks for approvals, calls the session's own tools and
 * reports signs of life. The session runtime passes it to `AgentConnection.execute`.
 */
export interface Turn {
  /** Reports a sign of life of the agent, such as a progress notification: restarts `idleTimeout`. */
  readonly beat: () => void
  /**
   * Publishes an event to the readers of the session, and restarts `idleTimeout`. Emit `ThreadStarted` also while
   * nothing reads: the runtime keeps its `threadId`, and publishes it once per conversation.
   *
   * @param event the event without `sessionId`, `sequence` and `turn`, which the runtime adds
   */
  readonly emit: (event: McpEventContent) => void
  /**
   * Asks the session's policy whether the agent may act, and publishes `ApprovalAsked` and `ApprovalDecided`. Always
   * succeeds with a decision: `Answer` or `Decline` for `kind: "question"`, else `Approve` or `Decline`. `idleTimeout`
   * does not run meanwhile. After the end of the turn it declines, unless `keep` was called.
   *
   * @param request what the agent asks to do; rules decide by its `kind`, `command`, `tool`, `cwd` and `paths`, so set
   *   those that are known
   */
  readonly approve: (request: McpApprovalRequest) => Effect.Effect<McpApprovalReply>
  /**
   * Calls one of the session's own `tools`: checks the arguments, asks the policy, and runs the function within its time.
   * Always succeeds with what the model is to read. An interruption, and the end of the turn, abort the function's signal.
   * After the end of the turn nothing is called, unless `keep` was called. It emits no `ToolStarted`: that is the agent's.
   *
   * @param name the name of the tool, as its definition has it
   * @param args the arguments as the agent sent them, unchecked
   */
  readonly callTool: (name: string, args: unknown) => Effect.Effect<ToolAnswer>
  /**
   * Whether the session's events have a reader now; without one, an adapter may skip events that are costly to build.
   */
  readonly observed: () => boolean
  /**
   * Keeps `emit` and `approve` in use after the answer, which lists in `pending` the work that goes on: events then get
   * `origin`, and approvals are decided. Call it before `execute` returns the answer.
   */
  readonly keep: () => void
  /** Ends what `keep` began: all work that `pending` listed has ended. */
  readonly over: () => void
  /** The span of the turn; `undefined` without a tracer. */
  readonly trace?: TurnTrace | undefined
}

/**
 * The request of one turn, as an adapter receives it. `providerOptions`, only where `supports.turnOptions` is true, are not
 * checked.
 */
export interface AgentRequest extends Omit<ParsedRequest, "attachments" | "output"> {
  /**
   * The JSON Schema of the answer, for the agent's own means. Only where `supports.structured` of the adapter is true. The
   * answer then has `structured`, or the value as JSON in its `content`; the runtime checks it.
   */
  readonly output?: JsonSchema
  /** Images as data URLs with base64, checked; for the agent before the prompt. Only where `supports.images` is true. */
  readonly images?: ReadonlyArray<string>
}

/** The result of a turn: an `McpResponse` to which the session runtime adds `provider` and `sessionId`. */
export type Answer = Omit<McpResponse, "provider" | "sessionId">

/** A change of a stored conversation. */
export type ThreadChange =
  | {
      /** Gives it a title. */
      readonly action: "rename"
      /** The title, of 1 to 200 characters. */
      readonly title: string
    }
  | {
      /** Removes it from the usual list; returns it there; deletes it. */
      readonly action: "archive" | "unarchive" | "delete"
    }

/**
 * The stored conversations of an agent, as `McpThreads` needs them. Arguments are checked. An operation fails with
 * `SessionClosed`, `conversation-lost`, for a thread that the agent does not have.
 */
export interface AgentThreads<E = McpError> {
  /**
   * Lists threads, those that changed last first.
   *
   * @param query directory, page and archive
   */
  readonly list: (
    query: McpThreadQuery & Required<Pick<McpThreadQuery, "archived" | "limit">>,
  ) => Effect.Effect<McpThreadPage, E>
  /**
   * Reads turns, oldest first.
   *
   * @param threadId the thread
   * @param query the page
   */
  readonly read: (
    threadId: string,
    query: McpTurnQuery & Required<Pick<McpTurnQuery, "limit">>,
  ) => Effect.Effect<McpThreadTurns, E>
  /**
   * Copies a thread, and returns the id of the copy.
   *
   * @param threadId the thread
   * @param turn the last turn that the copy has; `undefined` for all
   */
  readonly fork: (threadId: string, turn: string | undefined) => Effect.Effect<string, E>
  /**
   * Changes a thread, or deletes it. Fails with `InvalidRequest`, `rejected-by-server`, while another process holds it.
   *
   * @param threadId the thread
   * @param change what to change
   */
  readonly change: (threadId: string, change: ThreadChange) => Effect.Effect<void, E>
}

/** An open connection to one agent. `Driver.connect` returns it; the session runtime calls it. */
export interface AgentConnection {
  /**
   * Runs one turn. The runtime never starts a turn before the one before has ended. Interruption must cancel the turn
   * on the server.
   *
   * @param request the prompt, and the schema of the answer; the runtime enforces its deadline
   * @param turn emits events, asks for approvals, and reports signs of life
   */
  readonly execute: (request: AgentRequest, turn: Turn) => Effect.Effect<Answer, McpError>
  /**
   * Sends a text into the turn under way, and succeeds when it is known what became of it. The runtime sends a `queued` text
   * before the next prompt. Interruption must withdraw a text that the agent has not taken. Required where
   * `supports.steer` is true.
   *
   * @param content the text, of at least one character
   */
  readonly steer?: ((content: string) => Effect.Effect<McpSteered, McpError>) | undefined
  /** The agent's stored conversations. Required where `supports.threads` is true. */
  readonly threads?: AgentThreads | undefined
  /**
   * Ends the turn under way, if any, and cancels it on the server. Must return immediately, and must work from the
   * moment on when `execute` is called.
   *
   * @param error the error that the turn's `execute` must fail with, such as `stalled`
   */
  readonly abort: (error: McpError) => void
  /**
   * Called once, when the session is open: from then on, the connection must not keep the program running by itself. The
   * runtime keeps it running while an operation is under way. If absent, an idle session keeps the program running.
   */
  readonly unref?: (() => void) | undefined
  /** The MCP version that the handshake agreed on, for telemetry; absent if there is none. */
  readonly protocolVersion?: string | undefined
  /** The model that the configuration names, for telemetry; absent if it names none. */
  readonly model?: string | undefined
  /**
   * Replaces the connection's secrets in a text with `<redacted>`, for telemetry; absent if the connection has none.
   *
   * @param text a text that the server sent
   */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * The operations that an adapter implements for its agent. `McpSessionRuntime.make` adds what all adapters have in
 * common, such as queues, deadlines and approvals, and returns a client. Programs that use an existing adapter do not
 * need it.
 *
 * @see docs/guides/write-an-adapter.md
 */
export interface Driver {
  /** The name of the agent, for `provider` of responses, requests for approval and sessions, and for telemetry. */
  readonly provider: McpProvider
  /** What the agent can do beyond answering a prompt. The contract suite checks it. */
  readonly supports: McpSupports
  /** The value of OpenTelemetry's `gen_ai.provider.name`, such as `openai`; `provider` by default. */
  readonly vendor?: string | undefined
  /**
   * Reads the `cause` of a response with `isError` from its content, for example with the function that
   * `FailedTurn.reader` returns. If omitted, responses have no `cause`.
   */
  readonly causeOf?: CauseOf | undefined
  /** The policy of all sessions; by default that of the service `McpApproval` where the adapter is made. */
  readonly approvals?: McpApprovalPolicy | undefined
  /**
   * How many bytes of events may wait for the readers of all sessions together; 128 MiB by default. While they are used
   * up, slow readers miss events, and receive a `Dropped` event with their number. `maxEventBytes` of a configuration
   * limits one session.
   */
  readonly maxTotalEventBytes?: number | undefined
  /**
   * Connects to the agent for one session. What it acquires is released with the session. `openSession` fails with its
   * failure.
   *
   * @param config the configuration of the session, its defaults filled in
   * @param sessionId the id that `openSession` will return
   * @param trace the trace to send in `_meta` of the handshake; `undefined` without a tracer, without valid W3C ids,
   *   and where propagation is disabled
   * @param tools the session's own tools, for the agent's model, with names that `callTool` of a turn takes; none unless
   *   `supports.tools` is true
   */
  readonly connect: (
    config: ParsedConfig,
    sessionId: McpSessionId,
    trace?: TraceContext | undefined,
    tools?: ReadonlyArray<ToolDefinition> | undefined,
  ) => Effect.Effect<AgentConnection, McpError, Scope.Scope>
}
