/**
 * Prompt to tool call, result to answer, as Codex's MCP server has them.
 *
 * @see Codex 0.153.4 `mcp-server`: measured
 */
import type { ToolCall } from "@zain/sdk-client/AgentProfile"
import { toolNames } from "@zain/sdk-client/AgentServerProfile"
import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
import type { CodexNativeOptions } from "../CodexOptions.ts"

/** The first prompt of a conversation starts a thread, later ones go to it. */
export const call =
  (options: CodexNativeOptions) =>
  (prompt: string, threadId: string | undefined): ToolCall =>
    threadId === undefined
      ? { name: "codex", arguments: { ...toolNames(options), prompt } }
      : { name: "codex-reply", arguments: { threadId, prompt } }

/** Codex answers twice, as text and as structured content; the latter also names the thread. */
export const read = ThreadAnswer.reader("Codex")
