/**
 * Prompt to tool call, result to answer, as Codex's MCP server has them.
 *
 * @see Codex 0.153.4 `mcp-server`: measured
 */
import type { ToolCall } from "@zain/sdk-client/AgentProfile"
import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
import * as Schema from "effect/Schema"
import { CodexNativeOptions } from "../CodexOptions.ts"
import { names } from "./CodexStartOptions.ts"

const toArguments = Schema.encodeSync(CodexNativeOptions.pipe(Schema.encodeKeys(names)))

/** The first prompt of a conversation starts a thread, later ones go to it. */
export const call =
  (options: CodexNativeOptions) =>
  (prompt: string, threadId: string | undefined): ToolCall =>
    threadId === undefined
      ? { name: "codex", arguments: { ...toArguments(options), prompt } }
      : { name: "codex-reply", arguments: { threadId, prompt } }

/** Codex answers twice, as text and as structured content; the latter also names the thread. */
export const read = ThreadAnswer.reader("Codex")
