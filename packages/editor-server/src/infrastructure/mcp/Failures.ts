/**
 * What a failure is for an MCP client: a text that a model can act on, and the same for programs.
 *
 * @see Failures
 */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { categoryOf, codeOf, type DomainError } from "../../domain/DomainError.ts"

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

/** The result of a call of a tool. See `describe`. */
export const toResult = (error: DomainError, editor: string, isReading: boolean): CallToolResult => ({
  content: [{ type: "text", text: error.message }],
  isError: true,
  structuredContent: { error: describe(error, editor, isReading) },
})
