/**
 * What an agent does while it works.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { McpApprovalDecision, McpApprovalRequest } from "./McpApproval.ts"
import type { McpError } from "./McpError.ts"
import { McpUsage } from "./McpResponse.ts"
import { McpSessionId } from "./McpSessionId.ts"

const common = {
  sessionId: McpSessionId,
  /** Counts the events of a session from 1; what an agent does while nobody reads may stay uncounted. */
  sequence: Schema.Int,
  /** Counts the turns of a session from 1. */
  turn: Schema.Int,
}

/**
 * - `TurnStarted`: the prompt is about to be sent
 * - `ThreadStarted`: the agent's own name for the conversation, before its first word. A later session can go on with the
 *   conversation from now on, whatever becomes of this one. Once a session, and again where it begins another conversation
 * - `TextDelta`: a piece of the answer
 * - `Message`: a whole message of the agent
 * - `ToolStarted`, `ToolFinished`: the agent uses a tool; `toolId` tells one use from another, `name` is the agent's own
 *   for the tool, `title` says it to people, `input` is what it is given: long texts in it are cut visibly. `output` is
 *   what came of it, as far as the agent tells
 * - `ApprovalAsked`, `ApprovalDecided`: the agent asks before it acts, and is told; `approvalId` joins the two
 * - `Usage`: tokens that the turn has used so far, where the agent tells
 * - `Heartbeat`: the agent is at work and says nothing else. `retrying`: its model is out of reach, why, and which attempt
 *   comes next, in the agent's words
 * - `Raw`: a notification of the server, as it came
 * - `TurnCompleted`: the agent answered; `isError` as in the response
 * - `TurnFailed`: the turn ended without an answer; `reason` as in the error, or `interrupted`
 * - `Dropped`: the reader was too slow, or the event too large, and `count` events before this one are missing
 */
export const McpEvent = Schema.Union([
  Schema.TaggedStruct("TurnStarted", common),
  Schema.TaggedStruct("ThreadStarted", { ...common, threadId: Schema.String }),
  Schema.TaggedStruct("TextDelta", { ...common, text: Schema.String }),
  Schema.TaggedStruct("Message", { ...common, text: Schema.String }),
  Schema.TaggedStruct("ToolStarted", {
    ...common,
    toolId: Schema.String,
    name: Schema.String,
    title: Schema.String,
    input: Schema.optionalKey(Schema.Unknown),
  }),
  Schema.TaggedStruct("ToolFinished", {
    ...common,
    toolId: Schema.String,
    name: Schema.String,
    isError: Schema.Boolean,
    output: Schema.optionalKey(Schema.String),
  }),
  Schema.TaggedStruct("ApprovalAsked", { ...common, approvalId: Schema.String, request: McpApprovalRequest }),
  Schema.TaggedStruct("ApprovalDecided", { ...common, approvalId: Schema.String, decision: McpApprovalDecision }),
  Schema.TaggedStruct("Usage", { ...common, ...McpUsage.fields }),
  Schema.TaggedStruct("Heartbeat", { ...common, retrying: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("Raw", { ...common, method: Schema.String, params: Schema.Unknown }),
  Schema.TaggedStruct("TurnCompleted", { ...common, isError: Schema.Boolean }),
  Schema.TaggedStruct("TurnFailed", { ...common, reason: Schema.String }),
  Schema.TaggedStruct("Dropped", { ...common, count: Schema.Int }),
])
export type McpEvent = typeof McpEvent.Type

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, "sessionId" | "sequence" | "turn"> : never

/** An event as an adapter says it; the runtime knows session, sequence and turn. */
export type McpEventContent = WithoutPlace<McpEvent>

/**
 * - `events`: what happens in a session from now on, in wire order, every event of a turn before its result. Ends when
 *   the session closes; fails with `SessionNotFound` or `SessionClosed`. A reader that falls more than 16,384 events
 *   behind misses some, and receives their number; so does one whose session has `maxEventBytes` of events waiting, or all
 *   sessions of its client `maxTotalEventBytes`, when it has 256 KiB unread itself. The end of a turn reaches it all the
 *   same, and so does what is asked and decided, up to 32,768 events behind. A question that finds no room in bytes has
 *   `kind`, and the first 256 bytes of `message`, `command` and `tool`.
 *
 * @see design, §4 rule 7 and §5
 */
export interface McpEvents {
  readonly events: (sessionId: McpSessionId) => Stream.Stream<McpEvent, McpError>
}

/** The events as a service of Effect. */
export const McpEvents = Context.Service<McpEvents>("@zain/core/McpEvents")
