/**
 * The error of a command.
 */
import { getSystemErrorMessage } from "node:util"
import * as Schema from "effect/Schema"

/** `message` names what failed, the cause and the remedy. */
export class CommandError extends Schema.TaggedError<CommandError>("@zain/loopsmith/CommandError")("CommandError", {
  message: Schema.String,
}) {}

/** The operating system's message for a file error. */
export const fileProblem = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return "errno" in cause && typeof cause.errno === "number" ? getSystemErrorMessage(cause.errno) : cause.message
}
