/**
 * Any MCP server as an agent without a mind: a prompt is a call of one of its tools, and the answer its text.
 */
import type { AgentProfile, ToolCall, ToolResult } from "@zain/sdk-client/AgentProfile"
import { Effect, Schema } from "effect"

/** A prompt that asks for a call of a tool. */
export const prompt = (name: string, args: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ name, arguments: args })

/** The text of a result. */
export const textOf = ({ content }: ToolResult): string => content?.map(({ text }) => text ?? "").join("") ?? ""

/**
 * @param provider how the server is called
 * @param session what one session makes of its prompts and results; by default every prompt is one of `prompt`
 */
export const make = (
  provider: string,
  session: () => {
    readonly call: (prompt: string) => ToolCall
    readonly text: (result: ToolResult) => string
  } = () => ({
    call: (content) => JSON.parse(content) as ToolCall,
    text: textOf,
  }),
): AgentProfile<object> => ({
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
    Effect.sync(() => {
      const { call, text } = session()
      return {
        target,
        call,
        read: (result) => Effect.succeed({ content: text(result), isError: result.isError === true }),
      }
    }),
  event: ({ method, params }) => (method === "notifications/progress" ? { _tag: "Raw", method, params } : undefined),
})
