/**
 * Tool calls and results of Codex's own MCP server.
 *
 * @see Codex 0.153.4 `mcp-server`: measured
 */
import type { ToolCall } from "@zain/sdk-client/AgentProfile"
import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
import * as Schema from "effect/Schema"
import { CodexNativeOptions } from "../CodexOptions.ts"
import { names } from "./CodexStartOptions.ts"

const toArguments = Schema.encodeSync(CodexNativeOptions.pipe(Schema.encodeKeys(names)))

/** The tool call of a prompt: the first prompt of a conversation starts a thread, later ones continue it. */
export const call =
  (options: CodexNativeOptions) =>
  (prompt: string, threadId: string | undefined): ToolCall =>
    threadId === undefined
      ? { name: "codex", arguments: { ...toArguments(options), prompt } }
      : { name: "codex-reply", arguments: { threadId, prompt } }

/** Reads a result, whose structured content has the answer and the thread's id. */
export const read = ThreadAnswer.reader("Codex")
