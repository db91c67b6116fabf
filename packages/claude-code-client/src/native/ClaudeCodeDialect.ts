/**
 * Tool calls, results and notifications of Claude Code's own MCP server.
 *
 * @see Claude Code 2.1.329 `mcp serve`: measured
 */
import type { Answer } from "@zain/core/AgentConnection"
import { clip, type McpError } from "@zain/core/McpError"
import type { McpEventContent } from "@zain/core/McpEvents"
import { isRecord, type JsonRpcNotification, parseObject } from "@zain/process/JsonRpc"
import type { ToolCall, ToolResult } from "@zain/sdk-client/AgentProfile"
import * as Failure from "@zain/sdk-client/Failure"
import * as Effect from "effect/Effect"
import type { ClaudeCodeNativeOptions } from "../ClaudeCodeOptions.ts"
import type { ReplyHook } from "./ReplyHook.ts"

const about = { server: "Claude Code", delivery: "unknown" } as const

/** The tool call of a prompt: the first prompt of a conversation starts an agent, later ones are sent to it. */
export const call =
  ({ effort, isolation, subagentType }: ClaudeCodeNativeOptions) =>
  (prompt: string, agentId: string | undefined): ToolCall =>
    agentId === undefined
      ? {
          name: "Agent",
          arguments: {
            description: "A turn of a Zain session",
            prompt,
            ...(subagentType === undefined ? {} : { subagent_type: subagentType }),
            ...(effort === undefined ? {} : { effort }),
            ...(isolation === undefined ? {} : { isolation }),
          },
        }
      : { name: "SendMessage", arguments: { to: agentId, summary: "The next turn", message: prompt } }

/** Prefix of a text that is not an answer of the agent. */
const terminated = "Agent terminated early due to an API error:"

/** @param replies receives the replies of later turns */
export const read =
  (replies: ReplyHook) =>
  (result: ToolResult, agentId: string | undefined): Effect.Effect<Answer, McpError> => {
    const text = (result.content ?? []).flatMap((part) => (typeof part.text === "string" ? [part.text] : [])).join("\n")
    if (result.isError === true) return Effect.succeed({ content: text, isError: true })
    const report = parseObject(text)
    if (report === undefined) {
      return Effect.fail(Failure.protocolViolation(about, "the result of its agent is not JSON of the known form"))
    }
    return agentId === undefined
      ? Effect.sync(() => firstAnswer(report, replies))
      : laterAnswer(report, agentId, replies)
  }

/** The result of `Agent` has the answer, after as many blocks of the harness as `harnessNoteCount` says. */
const firstAnswer = (report: Readonly<Record<string, unknown>>, replies: ReplyHook): Answer => {
  replies.clear()
  const { agentId, content, harnessNoteCount, usage } = report
  const texts = (Array.isArray(content) ? content : []).flatMap((part: unknown) =>
    isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  )
  const notes = typeof harnessNoteCount === "number" ? harnessNoteCount : 0
  const isError = notes > 0 && texts[0]?.startsWith(terminated) === true
  const said = texts.slice(notes).join("\n")
  return {
    content: isError ? [texts[0], said].join("\n\n").trim() : said,
    isError,
    ...(typeof agentId === "string" ? { threadId: agentId } : {}),
    ...(isRecord(usage) ? { usage: usageOf(usage) } : {}),
  }
}

const usageOf = ({ input_tokens, output_tokens }: Readonly<Record<string, unknown>>): NonNullable<Answer["usage"]> => ({
  ...(typeof input_tokens === "number" ? { inputTokens: input_tokens } : {}),
  ...(typeof output_tokens === "number" ? { outputTokens: output_tokens } : {}),
})

/** The result of `SendMessage` only has whether the agent continued; the reply comes through the hook. */
const laterAnswer = (report: Readonly<Record<string, unknown>>, agentId: string, replies: ReplyHook) => {
  const message = typeof report["message"] === "string" ? report["message"] : ""
  if (report["success"] === true) {
    return Effect.flatMap(replies.take(agentId), (content) =>
      content === undefined
        ? Effect.fail(Failure.protocolViolation(about, "the turn ended, but no hook delivered its reply"))
        : Effect.succeed({ content, isError: false, threadId: agentId }),
    )
  }
  replies.clear()
  const refused = refusal.test(message)
  if (refused && message.includes("is already running")) return Effect.fail(busy(message))
  return refused ? Effect.fail(lost(message)) : Effect.succeed({ content: message, isError: true })
}

/** The message of a prompt that was not accepted. An agent that ran and failed has a longer one, which may contain these words. */
const refusal = /^Agent "[^"]*" could not be resumed: /

/** The previous turn is still running. The prompt was not accepted, so it may be sent again. */
const busy = (message: string) =>
  Failure.conversationHeld(
    `Claude Code is still running the previous turn: ${clip(message, 400)} Send the prompt again.`,
  )

const lost = (message: string) =>
  Failure.conversationLost(`Claude Code cannot continue this conversation: ${clip(message, 400)} Open a new session.`)

/** Claude Code reports no actions, only progress every 30 seconds. */
export const event = ({ method, params }: JsonRpcNotification): McpEventContent =>
  method === "notifications/progress" ? { _tag: "Heartbeat" } : { _tag: "Raw", method, params }
