/**
 * The protocol between a caller and the runner that holds its session: one entity a session, or for all sessions of a caller
 * in one conversation, as an agent continues a conversation on one machine only.
 */
import type { Driver, ToolAnswer } from "@zain/core/AgentConnection"
import { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import { McpError } from "@zain/core/McpError"
import { McpEvent, type McpEventContent } from "@zain/core/McpEvents"
import { McpResponse } from "@zain/core/McpResponse"
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { Configuration } from "./ConfigurationCodec.ts"

/** A tool of the caller's, as core's `ToolDefinition` has it. */
const Tool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  inputSchema: Schema.Record(Schema.String, Schema.Unknown),
})

const Trace = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))

/** What a runner needs to open a session again, so that it travels with every call that may have to. */
export const Session = Schema.Struct({
  /** The id of the session. */
  id: Schema.String,
  /** The principal that opened the session. */
  owner: Schema.String,
  /** The name of the agent in the runner's table. */
  agent: Schema.String,
  /** The configuration of the session; redacted in memory. */
  configuration: Schema.RedactedFromValue(Configuration),
  /** The caller's tools; absent if there are none. */
  tools: Schema.optionalKey(Schema.Array(Tool)),
  /** The trace of the call. */
  trace: Trace,
  /** The agent's id of the conversation, as the caller knows it. */
  threadId: Schema.optionalKey(Schema.String),
  /** Whether the caller knows of a turn that has begun. */
  hasTurns: Schema.Boolean,
})
export type Session = typeof Session.Type

/** The prompt of one turn, as core's `AgentRequest` without its deadline, which the caller enforces. */
export const Prompt = Schema.Struct({
  content: Schema.String,
  output: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  images: Schema.optionalKey(Schema.Array(Schema.String)),
  providerOptions: Schema.optionalKey(Schema.RedactedFromValue(Schema.Record(Schema.String, Schema.Unknown))),
})
export type Prompt = typeof Prompt.Type

/** The key of a turn: its number within the session, or a key of the caller's, which outlives the session. */
export const Key = Schema.Union([
  Schema.TaggedStruct("Turn", { number: Schema.Int }),
  Schema.TaggedStruct("Once", { key: Schema.String, part: Schema.Int }),
])
export type Key = typeof Key.Type

/**
 * The key of a turn in the ledger.
 *
 * @param session the id of the session
 * @param owner the principal that opened it
 * @param key the turn
 */
export const keyOf = (session: string, owner: string, key: Key): string =>
  key._tag === "Turn" ? `turn/${session}/${key.number}` : `once/${JSON.stringify([owner, key.key])}/${key.part}`

/** An event without its place, which the caller's session runtime adds. */
const Content: Schema.Codec<McpEventContent, unknown> = Schema.Union(
  McpEvent.members.map((member) =>
    (member as Schema.Struct<Schema.Struct.Fields>).mapFields(Struct.omit(["sessionId", "sequence", "turn", "origin"])),
  ),
) as never

/** The answer of a turn, as core's `Answer`. */
const Answer = McpResponse.mapFields(Struct.omit(["provider", "sessionId"]))

/** One item of a turn's stream, in the order of the agent's doing. */
export const Item = Schema.Union([
  /** The ledger has the turn's key: the prompt may have reached the agent of the runner of this address. */
  Schema.TaggedStruct("Begun", { runner: Schema.String }),
  Schema.TaggedStruct("Event", { event: Content }),
  /** A sign of life that is no event. */
  Schema.TaggedStruct("Beat", {}),
  /** The agent asks for approval, and the caller's policy decides by `Replies`. */
  Schema.TaggedStruct("Ask", { id: Schema.String, request: McpApprovalRequest }),
  /** The agent calls a tool of the caller's, which answers by `Replies`. */
  Schema.TaggedStruct("Call", { id: Schema.String, name: Schema.String, args: Schema.Unknown }),
  /** The agent waits for the reply no longer. */
  Schema.TaggedStruct("Withdrawn", { id: Schema.String }),
  /** Work of the turn goes on after its answer, and has ended. */
  Schema.TaggedStruct("Keep", {}),
  Schema.TaggedStruct("Over", {}),
  /** What the span of the turn records. */
  Schema.TaggedStruct("Called", { tool: Schema.String, requestId: Schema.String }),
  Schema.TaggedStruct("Refused", { code: Schema.Int }),
  Schema.TaggedStruct("Answer", { answer: Answer }),
])
export type Item = typeof Item.Type

/** The outcome of a turn as the ledger stores it. */
export const Outcome = Schema.fromJsonString(
  Schema.toCodecJson(
    Schema.Union([
      Schema.TaggedStruct("Answered", { answer: Answer }),
      Schema.TaggedStruct("Failed", { error: McpError }),
    ]),
  ),
)
export type Outcome = typeof Outcome.Type

/** What the caller replies to an `Ask` or a `Call`. */
export const Reply = Schema.Union([
  McpApprovalDecision,
  Schema.TaggedStruct("ToolAnswer", { text: Schema.String, isError: Schema.Boolean }),
])
export type Reply = McpApprovalDecision | ({ readonly _tag: "ToolAnswer" } & ToolAnswer)

/** An operation on stored conversations, as core's `AgentThreads` has it. */
export const ThreadOperation = Schema.Union([
  Schema.TaggedStruct("List", {
    cwd: Schema.optionalKey(Schema.String),
    cursor: Schema.optionalKey(Schema.String),
    limit: Schema.Int,
    archived: Schema.Boolean,
  }),
  Schema.TaggedStruct("Read", {
    threadId: Schema.String,
    cursor: Schema.optionalKey(Schema.String),
    limit: Schema.Int,
  }),
  Schema.TaggedStruct("Fork", { threadId: Schema.String, turn: Schema.optionalKey(Schema.String) }),
  Schema.TaggedStruct("Change", {
    threadId: Schema.String,
    action: Schema.Literals(["rename", "archive", "unarchive", "delete"]),
    title: Schema.optionalKey(Schema.String),
  }),
])
export type ThreadOperation = typeof ThreadOperation.Type

/** What an agent of a runner's table can do. */
export const Description = Schema.Struct({
  /** Flags by their names. */
  supports: Schema.Record(Schema.String, Schema.Boolean) as never as Schema.Codec<Driver["supports"]>,
  /** The value of OpenTelemetry's `gen_ai.provider.name`. */
  vendor: Schema.optionalKey(Schema.String),
})
export type Description = typeof Description.Type

const error = McpError
/** The session of a message that opens none, and the principal that opened it. */
const of = { session: Schema.String, owner: Schema.String }

/** The entity of sessions. Its messages are volatile: no prompt and no configuration is stored. */
export const AgentSession = Entity.make("AgentSession", [
  Rpc.make("describe", { payload: { agent: Schema.String }, success: Description, error }),
  Rpc.make("open", {
    payload: { session: Session },
    success: Schema.Struct({
      protocolVersion: Schema.optionalKey(Schema.String),
      model: Schema.optionalKey(Schema.String),
    }),
    error,
  }),
  Rpc.make("turn", { payload: { session: Session, key: Key, prompt: Prompt }, success: Item, error, stream: true }),
  Rpc.make("steer", {
    payload: { ...of, content: Schema.String },
    success: Schema.Literals(["applied", "queued"]),
    error,
  }),
  Rpc.make("threads", {
    payload: { session: Session, operation: ThreadOperation },
    success: Schema.Unknown,
    error,
  }),
  Rpc.make("close", { payload: of, error }),
]).annotate(ClusterSchema.ShardGroup, (id) => groupOf(id))

/** The group of runners in an entity's id. */
const groupOf = (id: string): string => id.slice(id.lastIndexOf("@") + 1)

/**
 * The id of an entity.
 *
 * @param place the id of its first session
 * @param group the group of runners that serve it
 */
export const addressOf = (place: string, group: string): string => `${place}@${group}`

/**
 * A value as JSON has it, so that it can cross: without functions and `undefined`.
 *
 * @param value a value that an agent or a caller gave
 */
export const jsonOf = <A>(value: A): A => {
  try {
    return JSON.parse(JSON.stringify(value) ?? "null")
  } catch {
    return null as A
  }
}
