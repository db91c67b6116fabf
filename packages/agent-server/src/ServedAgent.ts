/**
 * The interface between the MCP server and an agent's own protocol.
 */
import type { ToolAnswer } from "@zain/core/AgentConnection"
import type { ImageData } from "@zain/core/ImageData"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import type { BackgroundWork } from "@zain/core/McpBackground"
import type { McpEventContent } from "@zain/core/McpEvents"
import type { McpContext, McpStopReason, McpUsage } from "@zain/core/McpResponse"
import type { McpSteered } from "@zain/core/McpSteer"
import type { ReadingRoom } from "@zain/tool-server/ReadingRoom"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { AccountLimit } from "./AccountLimits.ts"
import type { AgentError } from "./AgentError.ts"
import type { Tools } from "./ClientTools.ts"
import type { FileEdit } from "./FileChanges.ts"
import type { JsonObject } from "./JsonMember.ts"
import type { StoredThreads } from "./ServedThreads.ts"
import type { TurnStage } from "./TurnActivity.ts"

/** A request of the agent for an approval. */
export interface Question {
  /** The request for the client, without `changes`. */
  readonly request: McpApprovalRequest
  /** Whether it requests write access to more than the request's paths. Default: `false`. */
  readonly isWider?: boolean
  /** The files that it would write, where the agent names them. */
  readonly edits?: ReadonlyArray<FileEdit>
}

/** Sends a text of the user into a running turn. */
export type Steer = (text: string) => Effect.Effect<McpSteered, AgentError>

/** Receives a turn. */
export interface TurnListener {
  /**
   * The turn has come to this stage: `due` with the first request to the agent, `accepted` with its answer or its first
   * message, `background` when only work is left whose events do not tell that it runs. It decides whether heartbeats are sent.
   */
  readonly stage: (stage: Exclude<TurnStage, "queued">) => void
  /** The thread now outlives the agent. Called once, before the first event. */
  readonly started: () => void
  /** An action of the agent, in order; none follows the end of the turn and of its `rest`. Returns immediately. */
  readonly event: (event: McpEventContent) => void
  /**
   * Receives how a text reaches the turn, once that is possible. It succeeds when it is known what became of the text:
   * `queued` if the turn ended before the agent took it, or its work is background work only. An interrupt withdraws a text
   * that the agent has not taken.
   */
  readonly steerable: (steer: Steer) => void
  /** Whether the listener keeps up. An agent whose only listener is behind is paused until it has caught up. */
  readonly room: ReadingRoom
  /** Decides a question before the agent acts. Never fails; interrupted with the turn. */
  readonly approve: (question: Question) => Effect.Effect<McpApprovalReply>
  /**
   * Calls one of the turn's `tools`, and returns what the agent's model is to read. The client checks the arguments, and
   * decides. Never fails; interrupted with the turn.
   */
  readonly callTool: (name: string, args: unknown) => Effect.Effect<ToolAnswer>
}

/** What a turn asks for. */
export interface TurnRequest<Options = never> {
  /** The prompt; never empty. */
  readonly prompt: string
  /** The JSON Schema of the answer. It holds for this turn alone. */
  readonly outputSchema?: JsonObject
  /** Images before the prompt, in their order. */
  readonly images?: ReadonlyArray<ImageData>
  /**
   * Options of this turn alone. Those that permit more than the thread's own fail with `invalid-config` before anything is
   * sent.
   */
  readonly options?: Options
  /** Tools of the client's own, which the model may call; none if omitted. */
  readonly tools?: Tools
}

/** The end of a turn. */
export interface TurnResult {
  /** The answer, or the reason of the failure. */
  readonly content: string
  /** Whether the agent ran and reported that its turn failed. */
  readonly isError: boolean
  /** The value that the agent gave for the schema, unchecked; absent if it gave none. */
  readonly structured?: unknown
  /** Tokens of the turn, with those of its sub-agents. */
  readonly usage?: McpUsage
  /** How full the model's context is. */
  readonly context?: McpContext
  /** What the turn cost, in US dollars. */
  readonly cost?: number
  /** Why the turn ended. */
  readonly stopReason?: McpStopReason
  /** The limit of the account that has ended the turn, with what is known of it; only with `isError`. */
  readonly limit?: AccountLimit
  /** The commands that still ran when the grace after the agent's last message had elapsed, and were ended. */
  readonly ended?: ReadonlyArray<BackgroundWork>
  /** The work that goes on, with `background: "keep"`. */
  readonly rest?: BackgroundRest
}

/** The work of a turn that goes on after its result. The turn's listener receives its events and approvals until it ends. */
export interface BackgroundRest {
  /** What goes on; at least one. */
  readonly pending: ReadonlyArray<BackgroundWork>
  /**
   * Succeeds when all of it has ended, each with an event `BackgroundFinished`. Run it once; an interrupt ends the work and
   * waits for its end.
   */
  readonly done: Effect.Effect<void>
}

/** The agent, as used by one client. */
export interface AgentAttachment<StartOptions> {
  /**
   * Starts what a first turn with these options needs, which takes long, and returns without waiting for it. What fails is
   * reported by the turn, but for that of required MCP servers, for which it waits. `tools` are those of the turn.
   */
  readonly begin: (options: StartOptions, tools?: Tools) => Effect.Effect<void, AgentError>
  /** Makes a thread with these tools of the client's own and returns its id, before any turn. */
  readonly start: (options: StartOptions, tools?: Tools) => Effect.Effect<string, AgentError>
  /** Verifies that a thread exists and can be continued, without a prompt. `options` and `tools` as in `turn`. */
  readonly open: (threadId: string, options?: StartOptions, tools?: Tools) => Effect.Effect<void, AgentError>
  /**
   * Runs one turn of a thread of this or an earlier server. Turns of a thread run one after the other. An interrupt ends
   * the agent's work, waits for its end, and keeps the thread.
   *
   * @param request fails with `not-supported` before anything is sent if the agent cannot do it, and with `option-refused` for
   *    `tools` that the thread cannot have any more
   * @param options the options given beside the thread. Each is what the thread has already, or applies from this turn on,
   *    or the call fails with `option-refused` before anything is sent
   */
  readonly turn: (
    threadId: string,
    request: TurnRequest<Partial<StartOptions>>,
    listener: TurnListener,
    options?: StartOptions,
  ) => Effect.Effect<TurnResult, AgentError>
  /** The agent's stored conversations, if they are accessible. */
  readonly threads?: StoredThreads
}

/** An agent that `AgentServer` serves. */
export interface Agent<StartOptions> {
  /** Name of its first tool; the tool that continues a thread is `<name>-reply`. */
  readonly name: string
  /** Name of the agent, for people and models that choose among tools. */
  readonly title: string
  /** Description of its first tool, for people and models that choose among tools. */
  readonly description: string
  /**
   * The arguments of the first tool beside `prompt`, by the names that clients use. Unknown keys are refused with their
   * path.
   */
  readonly startOptions: Schema.Codec<StartOptions, unknown>
  /** Those of them that may be given for one turn. If omitted, none. */
  readonly turnOptions?: Schema.Codec<Partial<StartOptions>, unknown>
  /** Removes the secrets of the agent's environment from a text. */
  readonly redact: (text: string) => string
  /** Fails if a thread could not start with these options, as far as that is known without starting the agent. */
  readonly check: (options: StartOptions) => Effect.Effect<void, AgentError>
  /**
   * Attaches one client. Processes may be shared by clients; they start when they are needed, and have ended, with all
   * their children, when the last Scope that uses them has closed.
   */
  readonly attach: Effect.Effect<AgentAttachment<StartOptions>, never, Scope.Scope>
}
