/**
 * What cannot be had of a scripted model, as an error.
 */
import { ScriptedModelError, type ScriptedModelErrorReason } from "./ScriptedModelError.ts"

export const failure = (reason: ScriptedModelErrorReason, message: string, cause?: unknown): ScriptedModelError =>
  new ScriptedModelError({ reason, message, ...(cause === undefined ? {} : { cause }) })
