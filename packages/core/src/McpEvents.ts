/**
 * The events of a session: what an agent does during a turn.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { McpApprovalDecision, McpApprovalRequest, McpFileChange } from "./McpApproval.ts"
import type { McpError } from "./McpError.ts"
import type { McpRequest } from "./McpRequest.ts"
import { type McpResponse, McpUsage } from "./McpResponse.ts"
import { McpSessionId } from "./McpSessionId.ts"

const common = {
  /** The id that was passed to `events`, to tell apart the events of concurrent sessions. */
  sessionId: McpSessionId,
  /**
   * Counts the events of a session from 1. A gap between two events means that the reader missed some: a `Dropped`
   * event with the number of the later event tells how many, in `count`. Events that occur while the session has no
   * reader may stay uncounted.
   */
  sequence: Schema.Int,
  /** Counts the turns of a session from 1: every `execute` that has begun is one. */
  turn: Schema.Int,
  /**
   * The turn that began the work of this event, for work that goes on after the answer of its turn (`pending` of the
   * response). `turn` is then the turn that began last. Absent from every other event.
   */
  origin: Schema.optionalKey(Schema.Int),
  /** The sub-agent that did it: `agentId` of its `SubagentStarted`. Absent from what the agent itself does. */
  parent: Schema.optionalKey(Schema.String),
} as const

/**
 * An event of a session. Match on `_tag`:
 *
 * - `TurnStarted`: the prompt is about to be sent
 * - `ThreadStarted`: the agent has named the conversation, before its first text; once a session, and again where the
 *   agent begins another conversation
 * - `TextDelta`, `Message`: a piece of the agent's text, and a whole message of it
 * - `ToolStarted`, `ToolFinished`: the agent uses a tool, such as its shell or one of an MCP server; `toolId` joins the
 *   two
 * - `CommandOutput`: a command of a tool prints something while it runs
 * - `FileChanged`: the agent has written a file
 * - `Reasoning`, `Plan`: a summary of what the agent thinks, and its steps with their states
 * - `SubagentStarted`, `SubagentFinished`: another agent works for this one; its own events have `parent`
 * - `Compacted`: the agent has shortened the conversation to fit its model
 * - `ModelChanged`: another model answers than the chosen one
 * - `RateLimit`: how much of a limit of the model's provider is used
 * - `ServerFailed`: an MCP server of the agent did not start, and the agent works without it
 * - `ApprovalAsked`, `ApprovalDecided`: the agent asks before it acts, and the policy has answered; `approvalId` joins
 *   the two
 * - `BackgroundFinished`: work that went on after the answer of its turn has ended
 * - `Usage`: the tokens that the turn has used so far
 * - `Heartbeat`: the agent is at work, or retries to reach its model
 * - `Raw`: a notification of the server that is none of the others
 * - `TurnCompleted`: the agent answered, or its turn failed on its side (`isError`); `execute` succeeds
 * - `TurnFailed`: the turn ended without an answer; `execute` fails, or was cancelled
 * - `SteersUnused`: the session closes, and texts of `steer` that were queued reached the agent in no turn
 * - `Dropped`: the reader was too slow and has missed events
 *
 * @example
 * ```ts
 * import type { McpEvent } from "@zain/core"
 *
 * const print = (event: McpEvent) => {
 *   if (event._tag === "TextDelta") process.stdout.write(event.text)
 *   if (event._tag === "ToolStarted") console.error(event.title)
 * }
 * ```
 *
 * @see docs/concepts/events.md
 */
export const McpEvent = Schema.Union([
  Schema.TaggedStruct("TurnStarted", common),
  Schema.TaggedStruct("ThreadStarted", {
    ...common,
    /**
     * The agent's id of the conversation. From now on a later session can continue it, also after this session, the
     * host or the server has ended: pass it as the provider's option `threadId`.
     */
    threadId: Schema.String,
  }),
  Schema.TaggedStruct("TextDelta", {
    ...common,
    /** A piece of the agent's text; the pieces joined in order give the text of the next `Message`. */
    text: Schema.String,
  }),
  Schema.TaggedStruct("Message", {
    ...common,
    /** A whole message of the agent. The last one of a turn is mostly the `content` of the answer. */
    text: Schema.String,
  }),
  Schema.TaggedStruct("ToolStarted", {
    ...common,
    /** Identifies one use of a tool within its turn; its `ToolFinished` has the same. */
    toolId: Schema.String,
    /** The agent's own name of the tool, such as `Bash` of Claude Code. */
    name: Schema.String,
    /** One line for people that says what the tool does, such as its command line. */
    title: Schema.String,
    /** The arguments of the tool, where the agent reports them; long texts in it are cut, and show that they are. */
    input: Schema.optionalKey(Schema.Unknown),
  }),
  Schema.TaggedStruct("ToolFinished", {
    ...common,
    /** Identifies one use of a tool within its turn; its `ToolStarted` had the same. */
    toolId: Schema.String,
    /** The agent's own name of the tool, as in `ToolStarted`. */
    name: Schema.String,
    /** Whether the tool failed, such as a command with an exit code other than 0, or was declined. */
    isError: Schema.Boolean,
    /** What the tool printed or returned, where the agent reports it; a long text is cut. */
    output: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("CommandOutput", {
    ...common,
    /** Identifies the use of the tool, as in its `ToolStarted`. */
    toolId: Schema.String,
    /**
     * What the command has printed since the last such event; the beginning of a long text is left out, as may be what a
     * command prints at once or before its end. `output` of `ToolFinished` has what it has printed in all.
     */
    text: Schema.String,
  }),
  Schema.TaggedStruct("FileChanged", {
    ...common,
    /** The file. */
    path: McpFileChange.fields.path,
    /** What happened to it; a file that a `move` has given another name may have other content too. */
    kind: McpFileChange.fields.kind,
    /** The new path of a `move`; absent for other kinds. */
    movedTo: McpFileChange.fields.movedTo,
    /** The hunks of a unified diff without file headers; a long one is cut, and shows that it is. */
    diff: McpFileChange.fields.diff,
  }),
  Schema.TaggedStruct("Reasoning", {
    ...common,
    /** A summary of what the agent has thought, in Markdown; a long one is cut, and shows that it is. */
    text: Schema.String,
  }),
  Schema.TaggedStruct("Plan", {
    ...common,
    /** All steps, in order. */
    steps: Schema.Array(
      Schema.Struct({
        /** What the step is, in one line. */
        text: Schema.String,
        /** How far it is. */
        state: Schema.Literals(["pending", "in-progress", "completed"]),
      }),
    ),
  }),
  Schema.TaggedStruct("SubagentStarted", {
    ...common,
    /** Identifies the sub-agent within its session: `parent` of its events, and `agentId` of its end. */
    agentId: Schema.String,
    /** One line for people that says what it does. */
    title: Schema.String,
  }),
  Schema.TaggedStruct("SubagentFinished", {
    ...common,
    /** Identifies the sub-agent, as in its `SubagentStarted`; it may start again. */
    agentId: Schema.String,
    /** Whether it failed, or was ended before it was done. */
    isError: Schema.Boolean,
  }),
  Schema.TaggedStruct("Compacted", {
    ...common,
    /** Tokens of the conversation before; absent where the agent does not report them. */
    before: Schema.optionalKey(Schema.Int),
    /** Tokens of the conversation afterwards; absent where the agent does not report them. */
    after: Schema.optionalKey(Schema.Int),
  }),
  Schema.TaggedStruct("ModelChanged", {
    ...common,
    /** The model that was chosen; absent where the agent does not report it. */
    from: Schema.optionalKey(Schema.String),
    /** The model that answers instead. */
    to: Schema.String,
    /** Why, in the agent's own words. */
    why: Schema.String,
  }),
  Schema.TaggedStruct("RateLimit", {
    ...common,
    /** The agent's own name of the limit, such as `primary` of Codex or `five_hour` of Claude Code. */
    window: Schema.String,
    /** How much of it is used, in percent. */
    used: Schema.Finite,
    /** When it starts anew, in milliseconds since 1970; absent where the agent does not report it. */
    resetsAt: Schema.optionalKey(Schema.Finite),
  }),
  Schema.TaggedStruct("ServerFailed", {
    ...common,
    /** The name of the MCP server, as in `mcpServers` of the session's options or in the agent's own configuration. */
    name: Schema.String,
    /** Why, in the agent's own words, without the secrets that were handed over with the server. */
    message: Schema.String,
  }),
  Schema.TaggedStruct("ApprovalAsked", {
    ...common,
    /** Identifies the request within its session; its `ApprovalDecided` has the same. */
    approvalId: Schema.String,
    /**
     * What the agent asks to do. A reader with more than 256 KiB unread receives, while `maxEventBytes` or
     * `maxTotalEventBytes` is used up, only `kind` and the first 256 bytes of `message`, `command` and `tool`.
     */
    request: McpApprovalRequest,
  }),
  Schema.TaggedStruct("ApprovalDecided", {
    ...common,
    /** Identifies the request within its session; its `ApprovalAsked` had the same. */
    approvalId: Schema.String,
    /**
     * The decision of the policy, without the answers to secret questions. A request that is still open when its turn
     * ends is declined.
     */
    decision: McpApprovalDecision,
  }),
  Schema.TaggedStruct("BackgroundFinished", {
    ...common,
    /** Identifies the work within its session, as in `pending` of the response. */
    workId: Schema.String,
    /** `command`: a program that the agent started. `sub-agent`: another agent that works for this one. */
    kind: Schema.Literals(["command", "sub-agent"]),
    /** One line for people that says what the work was, such as the command line. */
    title: Schema.String,
    /** Whether the work failed, or was ended before it was done. */
    isError: Schema.Boolean,
  }),
  Schema.TaggedStruct("Usage", {
    ...common,
    /**
     * Tokens that the model has read in this turn so far, cached ones included; absent if the agent does not report
     * them.
     */
    inputTokens: McpUsage.fields.inputTokens,
    /** Tokens that the model has written in this turn so far; absent if the agent does not report them. */
    outputTokens: McpUsage.fields.outputTokens,
    /** Of `inputTokens`, those that came from the model's cache so far; absent if none, or not reported. */
    cachedInputTokens: McpUsage.fields.cachedInputTokens,
    /** Of `inputTokens`, those that were written to the model's cache so far; absent if none, or not reported. */
    cacheWriteInputTokens: McpUsage.fields.cacheWriteInputTokens,
    /** Of `outputTokens`, those of the model's reasoning so far; absent if none, or not reported. */
    reasoningTokens: McpUsage.fields.reasoningTokens,
  }),
  Schema.TaggedStruct("Heartbeat", {
    ...common,
    /**
     * Why the agent cannot reach its model, and which attempt comes next, in its own words; absent if it does not
     * retry.
     */
    retrying: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("Raw", {
    ...common,
    /**
     * The JSON-RPC method of the notification; for a message of Claude Code, `claude/` and its type, such as
     * `claude/system`.
     */
    method: Schema.String,
    /**
     * The parameters of the notification, unchanged and unchecked. Their form may change with any version of the agent.
     */
    params: Schema.Unknown,
  }),
  Schema.TaggedStruct("TurnCompleted", {
    ...common,
    /** Whether the turn failed on the agent's side, as in the response. */
    isError: Schema.Boolean,
  }),
  Schema.TaggedStruct("TurnFailed", {
    ...common,
    /**
     * The `reason` of the error that `execute` fails with, such as `stalled`; `interrupted` for a cancelled turn,
     * `defect` where an adapter threw.
     */
    reason: Schema.String,
  }),
  Schema.TaggedStruct("SteersUnused", {
    ...common,
    /** The texts, in the order of their `steer`. */
    texts: Schema.Array(Schema.String),
  }),
  Schema.TaggedStruct("Dropped", {
    ...common,
    /** How many events before this one the reader has missed. The end of a turn is never among them. */
    count: Schema.Int,
  }),
])
export type McpEvent = typeof McpEvent.Type

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, "sessionId" | "sequence" | "turn" | "origin"> : never

/** An event as an adapter emits it; the session runtime adds `sessionId`, `sequence`, `turn` and `origin`. */
export type McpEventContent = WithoutPlace<McpEvent>

/** The last element of `stream`: the answer of its turn, as `execute` returns it. */
export interface McpStreamEnd<A = unknown> {
  /** Tells the answer from the events. */
  readonly _tag: "Response"
  /** The answer; a turn that the agent failed has `isError: true`. */
  readonly response: McpResponse<A>
}

/** An element of `stream`: an event of the turn, or last its answer. Match on `_tag`. */
export type McpStreamed<A = unknown> = McpEvent | McpStreamEnd<A>

/** The part of a client that reports what its agents do while they work. */
export interface McpEvents {
  /**
   * The events of a session from the moment on when the stream runs, in the order in which the agent sent them; every
   * event of a turn comes before the turn's result, except those with `origin`. Any number of readers may run it; each receives all events. The
   * stream ends when the session closes, and fails with `SessionNotFound` (`unknown-session`) or `SessionClosed`
   * (`closed`) for a session that is not open.
   *
   * The agent never waits for a reader. A slow reader misses events and receives their number in `Dropped`: more than
   * 16,384 events behind, or where `maxEventBytes` of the session or `maxTotalEventBytes` of the client is used up and
   * it has more than 256 KiB unread itself. It never misses the end of a turn, and misses approvals only from 32,768
   * events behind.
   *
   * @param sessionId an id that `openSession` of this client returned
   *
   * @example
   * ```ts
   * import { McpEvents, type McpSessionId } from "@zain/core"
   * import * as Effect from "effect/Effect"
   * import * as Stream from "effect/Stream"
   *
   * const print = Effect.fn(function* (session: McpSessionId) {
   *   const { events } = yield* McpEvents
   *   yield* Stream.runForEach(events(session), (event) => Effect.log(event._tag))
   * })
   * ```
   *
   * @see docs/concepts/events.md; docs/internals/promises.md, 14; docs/decisions/0014-bounds.md
   */
  readonly events: (sessionId: McpSessionId) => Stream.Stream<McpEvent, McpError>
  /**
   * Runs one turn, as `execute` does, and emits its events in order, from `TurnStarted` on, and then its answer as
   * `Response`. It fails as `execute` does, after the events of the turn. Each run of the stream is a turn of its own.
   * Ending the stream early, or interrupting it, cancels the turn on the server too.
   *
   * Events of other turns, and of work that goes on after their answers (`origin`), are left out: `events` has them. A slow
   * reader misses events as one of `events` does, and never the answer; the turn does not wait for it.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param request the prompt, as for `execute`
   *
   * @example
   * ```ts
   * import { McpEvents, type McpSessionId } from "@zain/core"
   * import * as Effect from "effect/Effect"
   * import * as Stream from "effect/Stream"
   *
   * const print = Effect.fn(function* (session: McpSessionId, content: string) {
   *   const { stream } = yield* McpEvents
   *   yield* Stream.runForEach(stream(session, { content }), (piece) =>
   *     piece._tag === "TextDelta" ? Effect.sync(() => process.stdout.write(piece.text)) : Effect.void,
   *   )
   * })
   * ```
   *
   * @see docs/guides/stream.md; docs/internals/promises.md, 14
   */
  readonly stream: <A = unknown>(
    sessionId: McpSessionId,
    request: McpRequest<A>,
  ) => Stream.Stream<McpStreamed<A>, McpError>
}

/** The service of Effect for the events: `yield* McpEvents`. `McpClientAdapter.layer` provides it. */
export const McpEvents = Context.Service<McpEvents>("@zain/core/McpEvents")
