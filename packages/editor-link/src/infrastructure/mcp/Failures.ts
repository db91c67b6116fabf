/**
 * What the outcome of a call is for an MCP client; a failure is a text that a model can act on, and the same for programs.
 *
 * @see Failures
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { categoryOf, codeOf, type DomainError } from "../../domain/DomainError.ts"
import type { OperationResult } from "../../domain/OperationResult.ts"

/**
 * A failure for programs.
 *
 * @param editor the name by which the call chose it; empty for a single one, which has none
 * @param isReading whether the call would have changed nothing
 */
export const describe = (error: DomainError, editor: string, isReading: boolean) => {
  const { delivery, details, message, reason } = error
  return {
    code: codeOf(error),
    category: categoryOf(error),
    message,
    retryable: delivery === "not-sent" || isReading,
    delivery,
    editor,
    details: { ...details, reason },
  }
}

/** The reasons of an editor that cannot be reached. */
const unreached: ReadonlySet<string> = new Set(["refused", "connect-timeout", "lost", "away"])

/**
 * The result of a call of a tool. See `describe`.
 *
 * @param hasTools whether the client is listed tools
 */
export const toResult = (error: DomainError, editor: string, isReading: boolean, hasTools: boolean): CallToolResult => {
  const failure = describe(error, editor, isReading)
  const message = hasTools && unreached.has(error.reason) ? `${error.message} The tools stay listed.` : error.message
  return {
    content: [{ type: "text", text: message }],
    isError: true,
    structuredContent: { success: false, error: { ...failure, message } },
  }
}

/** The result of a call of a tool that succeeded. */
export const ofSuccess = (
  { content, meta, structuredContent }: OperationResult,
  isStructured: boolean,
): CallToolResult => ({
  content: [...content],
  ...(structuredContent === undefined || !isStructured ? {} : { structuredContent: { ...structuredContent } }),
  ...(meta === undefined ? {} : { _meta: { ...meta } }),
})
