/**
 * Why a command does not do what it was asked for.
 */
import { getSystemErrorMessage } from "node:util"
import * as Schema from "effect/Schema"

/** `message`: what happened, to what, and what to do. */
export class CommandError extends Schema.TaggedError<CommandError>("@zain/loopsmith/CommandError")("CommandError", {
  message: Schema.String,
}) {}

/** What the operating system says of a file, in words. */
export const fileProblem = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return "errno" in cause && typeof cause.errno === "number" ? getSystemErrorMessage(cause.errno) : cause.message
}
