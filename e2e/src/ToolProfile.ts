/**
 * Any MCP server as an agent without a mind: a prompt is a call of one of its tools, and the answer its text.
 */
import type { AgentProfile, ToolCall, ToolResult } from "@zain/sdk-client/AgentProfile"
import { Effect, Schema } from "effect"

/** A prompt that asks for a call of a tool. */
export const prompt = (name: string, args: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ name, arguments: args })

/** The text of a result. */
const textOf = ({ content }: ToolResult): string => content?.map(({ text }) => text ?? "").join("") ?? ""

/** @param provider how the server is called */
export const make = (provider: string): AgentProfile<object> => ({
  provider,
  supports: {
    streaming: false,
    approvals: false,
    cancelKeepsConversation: true,
    failureKeepsConversation: true,
    background: false,
  },
  options: Schema.Record(Schema.String, Schema.Never),
  environment: [],
  conversation: "session",
  open: (target) =>
    Effect.succeed({
      target,
      call: (content) => JSON.parse(content) as ToolCall,
      read: (result) => Effect.succeed({ content: textOf(result), isError: result.isError === true }),
    }),
  event: ({ method, params }) => (method === "notifications/progress" ? { _tag: "Raw", method, params } : undefined),
})
