/**
 * The differences between agents, as one value: `SdkMcpClient.make` makes an adapter from it.
 */
import type { AgentRequest, Answer, Driver } from "@zain/core/AgentConnection"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { McpError } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { HostGuard } from "@zain/process/HostGuard"
import type { JsonRpcNotification } from "@zain/process/JsonRpc"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { WireTarget } from "./McpWire.ts"

/** The tool to call for a prompt, or for `prepare`, with its arguments. */
export interface ToolCall {
  /** The name of the tool, as the server's `tools/list` has it. */
  readonly name: string
  /** The arguments of the tool, sent unchanged. */
  readonly arguments: Readonly<Record<string, unknown>>
  /** Members of the request's `_meta`, in addition to the progress token and the trace context. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A call before the first prompt. */
export interface Preparation extends ToolCall {
  /** The experimental capability of the server without which the call is not made. By default it is always made. */
  readonly requires?: string
}

/** The `result` of a tool call, exactly as the server sent it. */
export interface ToolResult {
  /**
   * The content blocks of the result, in order. Absent if the server sent none, for example beside `structuredContent`.
   */
  readonly content?: ReadonlyArray<{
    /** The kind of the block: `text`, `image` or another type of MCP. */
    readonly type: string
    /** The text of a `text` block; usually absent from other blocks. */
    readonly text?: string
  }>
  /** The structured content of the result; an adapter reads it by its own shape, not by the tool's `outputSchema`. */
  readonly structuredContent?: Readonly<Record<string, unknown>>
  /** True if the tool failed; the content then describes the failure. False by default. */
  readonly isError?: boolean
  /** Metadata of the result, for example the number of tokens that the turn used. */
  readonly _meta?: unknown
}

/** One session with an agent: how prompts are sent and answers are read. `open` of the profile makes it. */
export interface AgentSession {
  /** The process to start, or the server to connect to: `target` of `open`, or a changed copy. */
  readonly target: WireTarget
  /** Values that are redacted in messages, beside `secrets` of the target. None by default. */
  readonly secrets?: ReadonlyArray<string>
  /** A call that must succeed before `openSession` returns. None by default. */
  readonly prepare?: Preparation | undefined
  /**
   * Returns the `tools/call` with which a prompt is sent to the agent's server.
   *
   * @param prompt the text that `execute` was called with
   * @param threadId the conversation to continue; `undefined` in the first turn: start one, or continue the one that
   *   the session's options name
   * @param request the prompt, with what else the turn has: `output`, the schema of the answer, where
   *   `supports.structured` is true, `images` where `supports.images` is true, and `providerOptions`, which `turnOptions` of
   *   the profile has decoded
   */
  readonly call: (prompt: string, threadId: string | undefined, request: AgentRequest) => ToolCall
  /**
   * Reads the answer from the result of a call. Fails with the error of the turn.
   *
   * @param result the result, secrets included; its `isError` may be true
   * @param threadId the conversation that an earlier answer of this session named, or `interrupted` returned;
   *   `undefined` before either
   */
  readonly read: (result: ToolResult, threadId: string | undefined) => Effect.Effect<Answer, McpError>
  /**
   * Returns the conversation to continue after a cancelled turn, or `undefined` if it is not known. Called when the
   * turn is cancelled and, if it returned `undefined` or threw, again before the next turn. If omitted, the next turn
   * fails with `conversation-lost`, unless `startsAnew` applies.
   *
   * @param threadId the conversation that an earlier answer of this session named, or `interrupted` returned;
   *   `undefined` before either, also where the session resumes a conversation
   */
  readonly interrupted?: (threadId: string | undefined) => string | undefined
  /**
   * Translates notifications of this session, in place of the profile's `event`: for a translation that needs state,
   * such as the name of a tool for `ToolFinished`. It is called only while a program reads the events: collect the
   * state in `heard`.
   *
   * @param notification a notification of the server during a turn
   */
  readonly event?: AgentProfile<never>["event"]
  /**
   * Receives every notification of the last call, including those that arrive after its answer, before `event` and even
   * if no program reads the events. A notification that names its call neither by `progressToken` nor by
   * `_meta.requestId` counts for the turn under way, even if the server sent it for a cancelled one. Returns the thread
   * that can be continued from now on, if the notification names it: during a turn, the runtime then emits
   * `ThreadStarted`, and errors have the thread.
   *
   * @param notification the notification; its `params` are not checked
   */
  readonly heard?: (notification: JsonRpcNotification) => string | undefined
  /**
   * Returns the result of the call under way, if a notification of it is its answer: the turn ends, and the call goes on
   * for the background work that the answer lists in `pending`, until the server sends the call's result. If omitted, no
   * call goes on.
   *
   * @param notification the notification; its `params` are not checked
   */
  readonly answered?: (notification: JsonRpcNotification) => unknown
  /** The model that the session requests, for spans and metrics. Absent if the agent chooses it. */
  readonly model?: string | undefined
  /**
   * True if the next prompt starts a new conversation after a first turn that was cancelled before its thread was known.
   * False by default: the next turn then fails with `conversation-lost`.
   */
  readonly startsAnew?: boolean
}

/** Translates the approval requests of a server to and from those of core. */
export interface ApprovalDialect {
  /**
   * Reads a request of the server as an approval, or returns `undefined` for any other request, which is then refused with
   * the JSON-RPC error -32601.
   *
   * @param method the JSON-RPC method of the server's request, such as `elicitation/create`
   * @param params its parameters, unchecked
   */
  readonly read: (method: string, params: unknown) => McpApprovalRequest | undefined
  /**
   * Returns the JSON-RPC `result` that answers the server's request with a decision.
   *
   * @param decision the decision of the session's policy
   */
  readonly write: (decision: McpApprovalReply) => unknown
  /**
   * Returns the id of the tool call that a request belongs to. Needed only for servers that send it elsewhere than in
   * `_meta.requestId`.
   *
   * @param params the parameters of the request, unchecked
   */
  readonly callOf?: (params: unknown) => string | undefined
}

/** The `serverInfo` that a server sends in the handshake. */
export interface ServerInfo {
  /** The name of the server program, such as `zain-codex-mcp`; empty if the server sent none. */
  readonly name: string
  /** The version of the server program; empty if the server sent none. */
  readonly version: string
}

/**
 * Defines one agent for `SdkMcpClient.make`. `provider`, `supports`, `vendor` and `causeOf` mean the same as in core's
 * `Driver`.
 *
 * @see docs/guides/write-an-adapter.md
 */
export interface AgentProfile<Options> extends Pick<Driver, "causeOf" | "provider" | "supports" | "vendor"> {
  /** The schema of the provider's options; `openSession` fails with `invalid-config` for options that do not match it. */
  readonly options: Schema.Codec<Options, unknown>
  /**
   * The schema of the options of one turn, with `supports.turnOptions`: `execute` fails with `not-supported` for an option
   * that it does not have, and with `invalid-config` for a wrong value.
   */
  readonly turnOptions?: Schema.Codec<object, unknown>
  /**
   * The variables of the host's environment that are passed to the server's process, in addition to the default ones; a
   * name may end in `*`.
   */
  readonly environment: ReadonlyArray<string>
  /**
   * Whether the provider's local server is an agent server of Zain's, which the sessions of one client may share
   * (`shared` of a configuration). False by default.
   */
  readonly shares?: boolean
  /**
   * Prepares a session before its wire is opened, for example with `SessionHost`. Resources it acquires are released with
   * the session.
   *
   * @param target the process or server of the connection's configuration
   * @param options the decoded options of the provider
   */
  readonly open: (
    target: WireTarget,
    options: Options,
  ) => Effect.Effect<AgentSession, McpError, Scope.Scope | HostGuard>
  /** How the server requests approvals. If omitted, every request of the server except `ping` is refused. */
  readonly approvals?: ApprovalDialect
  /**
   * What carries the conversation from one turn to the next. `"thread"`, the default: the thread id that an answer or
   * `interrupted` named last; without any, the turn after an answer fails with `conversation-lost`. `"session"`: the
   * MCP session itself, for a server without thread ids; `supports` then decides whether the conversation continues
   * after a cancelled or failed turn, and `interrupted` and `startsAnew` are ignored.
   */
  readonly conversation?: "session" | "thread"
  /** The `experimental` capabilities that the client declares in `initialize`, by name. None by default. */
  readonly experimental?: Readonly<Record<string, object>>
  /**
   * Returns the error that `openSession` fails with if the server is not the one this profile supports. Called once, after
   * the handshake.
   *
   * @param server the server, as it introduced itself in the handshake; its texts may be empty
   */
  readonly accepts?: (server: ServerInfo) => McpError | undefined
  /**
   * Translates a notification into an event, or returns `undefined` for one that only shows that the agent is alive. It
   * serves all sessions of the adapter, and is called only while a program reads the events. For a translation with state,
   * set `event` of the `AgentSession`.
   *
   * @param notification a notification of the server during a turn
   */
  readonly event: (notification: JsonRpcNotification) => McpEventContent | undefined
}
