/**
 * Makes the package's error.
 */
import { ScriptedModelError, type ScriptedModelErrorReason } from "./ScriptedModelError.ts"

export const failure = (reason: ScriptedModelErrorReason, message: string, cause?: unknown): ScriptedModelError =>
  new ScriptedModelError({ reason, message, ...(cause === undefined ? {} : { cause }) })
