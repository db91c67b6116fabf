/**
 * A third provider: any agent that is an MCP server, behind the port. An `AgentProfile` defines what differs between agents;
 * sessions, processes, limits and errors come from `@zain/sdk-client`. Its contract tests:
 *
 *   npx vitest run Provider.test.ts
 */
import { type AgentProfile, SdkMcpClient } from "@zain/sdk-client"
import * as ThreadAnswer from "@zain/sdk-client/ThreadAnswer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const isAsking = Schema.is(Schema.Struct({ message: Schema.String, _meta: Schema.Struct({ command: Schema.String }) }))
const isProgress = Schema.is(Schema.Struct({ progress: Schema.Number, message: Schema.String }))
const keeps = { cancelKeepsConversation: true, failureKeepsConversation: true }

export const profile: AgentProfile.AgentProfile<{ readonly model?: string }> = {
  provider: "my-agent",
  supports: { streaming: true, approvals: true, ...keeps, background: false },
  options: Schema.Struct({ model: Schema.optionalKey(Schema.String) }),
  environment: ["MY_AGENT_*"],
  open: (target, options) =>
    Effect.succeed<AgentProfile.AgentSession>({
      target,
      call: (prompt, threadId) => ({ name: "ask", arguments: { ...options, prompt, threadId } }),
      read: ThreadAnswer.reader("My agent"),
      interrupted: (threadId) => threadId,
      startsAnew: true,
    }),
  approvals: {
    read: (method, params) =>
      method === "elicitation/create" && isAsking(params)
        ? { kind: "command", message: params.message, command: params._meta.command }
        : undefined,
    write: ({ _tag }) => (_tag === "Decline" ? { action: "decline" } : { action: "accept", content: {} }),
  },
  event: ({ params }) => (isProgress(params) ? { _tag: "TextDelta", text: params.message } : undefined),
}

export const make = SdkMcpClient.make(profile)
