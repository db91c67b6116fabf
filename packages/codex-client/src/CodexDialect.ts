/**
 * Prompt to tool call, result to answer, as Codex's MCP server has them.
 *
 * @see Codex 0.153.4 `mcp-server`: measured
 */
import type { McpError } from "@zain/core/McpError"
import type { Answer } from "@zain/core/McpSessionRuntime"
import type { ToolCall, ToolResult } from "@zain/sdk-client/AgentProfile"
import * as Failure from "@zain/sdk-client/Failure"
import * as Effect from "effect/Effect"
import { type CodexNativeOptions, toArguments } from "./CodexOptions.ts"

/** The first prompt of a conversation starts a thread, later ones go to it. */
export const call =
  (options: CodexNativeOptions) =>
  (prompt: string, threadId: string | undefined): ToolCall =>
    threadId === undefined
      ? { name: "codex", arguments: { ...toArguments(options), prompt } }
      : { name: "codex-reply", arguments: { threadId, prompt } }

/** Codex answers twice, as text and as structured content; the latter also names the thread. */
export const read = (result: ToolResult): Effect.Effect<Answer, McpError> => {
  const { content: structured, threadId } = result.structuredContent ?? {}
  const text = result.content?.find((part) => part.type === "text")?.text
  const content = typeof structured === "string" ? structured : text
  if (content === undefined) {
    return Effect.fail(
      Failure.protocolViolation({ server: "Codex", delivery: "unknown" }, "a result holds neither text nor structure"),
    )
  }
  return Effect.succeed({
    content,
    isError: result.isError === true,
    ...(typeof threadId === "string" ? { threadId } : {}),
  })
}
