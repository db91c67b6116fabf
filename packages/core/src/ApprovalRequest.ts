/**
 * What agents ask before they act, and what they are told: the values that cross wires.
 *
 * @see design, §5
 */
import * as Schema from "effect/Schema"

/**
 * One file that a change writes, as it stands when the request is made.
 *
 * - `path`: as in `paths` of the request
 * - `kind`: `add`, `update`, `delete`, or `move` for a file that gets another name, and maybe another content
 * - `movedTo`: the other name of a `move`
 * - `diff`: hunks of a unified diff without file headers; one sentence with the sizes in bytes where a file is not text, is
 *   larger than 1 MiB or cannot be read. Cut visibly where all diffs of a request have more than 256 KiB. Known secrets are
 *   redacted
 * - `isNew`: whether there is nothing yet where it writes; absent where that cannot be told
 *
 * @see docs/internals/promises.md, 33
 */
export const McpFileChange = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["add", "update", "delete", "move"]),
  movedTo: Schema.optionalKey(Schema.String),
  diff: Schema.String,
  isNew: Schema.optionalKey(Schema.Boolean),
})
export type McpFileChange = typeof McpFileChange.Type

/**
 * What an agent wants to do.
 *
 * - `kind`: what it is about. `command`: to run one; `file-change`: to write files; `permission`: to be allowed more for
 *   a while; `tool`: to use a tool of its own
 * - `message`: the question, for people
 * - `command`, `cwd`: the command line as the agent would run it, and where
 * - `sandbox`: `none` where what is approved may run without the agent's sandbox, so that it can do what the agent's user can
 * - `paths`: the files that it is about: those that a `file-change` writes, that a `permission` lets be read or written, and
 *   that a `tool` names. Absent where it does not say; empty where it is about none
 * - `changes`: what a `file-change` writes. For people: rules judge `paths`
 * - `tool`, `input`: its name for the tool, and what it would give it
 * - `reason`: why, in the agent's own words
 */
export const McpApprovalRequest = Schema.Struct({
  kind: Schema.Literals(["command", "file-change", "permission", "tool"]),
  message: Schema.String,
  command: Schema.optionalKey(Schema.String),
  cwd: Schema.optionalKey(Schema.String),
  sandbox: Schema.optionalKey(Schema.Literal("none")),
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  changes: Schema.optionalKey(Schema.Array(McpFileChange)),
  tool: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(Schema.Unknown),
  reason: Schema.optionalKey(Schema.String),
})
export type McpApprovalRequest = typeof McpApprovalRequest.Type

/**
 * - `Approve`: this once
 * - `ApproveForSession`: this, and the same use until the session ends
 * - `Decline`: not; `reason` reaches the agent where it takes one
 */
export const McpApprovalDecision = Schema.Union([
  Schema.TaggedStruct("Approve", {}),
  Schema.TaggedStruct("ApproveForSession", {}),
  Schema.TaggedStruct("Decline", { reason: Schema.String }),
])
export type McpApprovalDecision = typeof McpApprovalDecision.Type
