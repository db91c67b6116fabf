/**
 * Why a tool on the project's files did nothing.
 */
import { ToolExecutionError, ValidationError } from "@zain/editor-link/domain/DomainError"

/** What was asked for cannot be done as it was asked for. */
export const refused = (message: string, details?: Readonly<Record<string, unknown>>): ValidationError =>
  new ValidationError({
    message,
    delivery: "not-sent",
    reason: "arguments",
    ...(details === undefined ? {} : { details }),
  })

/** @param shown the name, as messages repeat it */
export const undeclared = (path: string, shown: string): ValidationError =>
  refused(`${path} does not declare ${shown}. List its symbols with script_symbols_get`)

/** More than a bound allows. */
export const tooLarge = (message: string): ValidationError =>
  new ValidationError({ message, delivery: "not-sent", reason: "too-large" })

/** A path that the tools do not follow. */
export const outside = (message: string): ToolExecutionError =>
  new ToolExecutionError({ message, delivery: "not-sent", reason: "security-blocked" })

/** The file system, or the parser, refused. */
export const failed = (message: string): ToolExecutionError =>
  new ToolExecutionError({ message, delivery: "not-sent", reason: "editor" })

/** Some files were changed and others were not. */
export const halfDone = (message: string): ToolExecutionError =>
  new ToolExecutionError({ message, delivery: "unknown", reason: "editor" })

export const slow = (subject: string, limit: number): ToolExecutionError =>
  new ToolExecutionError({
    message: `${subject}: took more than ${limit / 1_000} s of the processor's time and was ended. Use a simpler pattern or a smaller file`,
    delivery: "not-sent",
    reason: "timeout",
  })
