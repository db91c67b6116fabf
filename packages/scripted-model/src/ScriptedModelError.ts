/**
 * The error of this package.
 */
import * as Schema from "effect/Schema"

/**
 * Why an operation of a scripted model failed.
 *
 * - `listen-failed`: no port of the loopback interface could be opened
 * - `write-failed`: the agent's directory could not be written
 * - `invalid-options`: the options cannot be represented in the agent's configuration
 * - `unknown-request`: the request was not recorded by this model
 * - `already-answered`: the answer was complete, or cut by the script, before the client disconnected
 * - `closed`: the model was closed first
 */
export const ScriptedModelErrorReason = Schema.Literals([
  "listen-failed",
  "write-failed",
  "invalid-options",
  "unknown-request",
  "already-answered",
  "closed",
])
/** Why the model failed, such as `closed`; the schema of the same name explains each value. */
export type ScriptedModelErrorReason = typeof ScriptedModelErrorReason.Type

/** An operation of a scripted model failed. Match on `reason`. */
export class ScriptedModelError extends Schema.TaggedError<ScriptedModelError>(
  "@zain/scripted-model/ScriptedModelError",
)("ScriptedModelError", {
  /** The kind of failure, for programs to match on; `ScriptedModelErrorReason` explains each value. */
  reason: ScriptedModelErrorReason,
  /** What failed and why, for people. */
  message: Schema.String,
  /** The error of Node or of the encoder, if there is one. */
  cause: Schema.optionalKey(Schema.Defect()),
}) {}
