/**
 * The one error of this package.
 */
import * as Schema from "effect/Schema"

/**
 * - `listen-failed`: no port of the loopback interface could be opened
 * - `write-failed`: the agent's directory could not be written
 * - `invalid-options`: the options cannot be written as the agent's configuration
 * - `unknown-request`: the request was not recorded by this model
 * - `already-answered`: the answer was complete, or cut by the script, before the client left
 * - `closed`: the model's scope ended first
 */
export const ScriptedModelErrorReason = Schema.Literals([
  "listen-failed",
  "write-failed",
  "invalid-options",
  "unknown-request",
  "already-answered",
  "closed",
])
export type ScriptedModelErrorReason = typeof ScriptedModelErrorReason.Type

/** Something that was asked of a scripted model cannot be had. Match on `reason`. */
export class ScriptedModelError extends Schema.TaggedError<ScriptedModelError>(
  "@zain/scripted-model/ScriptedModelError",
)("ScriptedModelError", {
  reason: ScriptedModelErrorReason,
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {}
