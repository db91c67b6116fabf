/** A third party's adapter as a subject of the fault suite. Its conversations continue after a cancel and after a failure. */
import { McpConnectionConfig } from "@zain/core"
import { type AgentProfile, SdkMcpClient } from "@zain/sdk-client"
import { Effect, Schema } from "effect"
import { McpClientFaultSuite } from "../../src/index.ts"

const profile: AgentProfile.AgentProfile<object> = {
  provider: "parrot",
  supports: {
    streaming: false,
    approvals: false,
    cancelKeepsConversation: true,
    failureKeepsConversation: true,
    background: false,
  },
  options: Schema.Struct({}),
  environment: [],
  open: (target) =>
    Effect.succeed({
      target,
      call: (prompt) => ({ name: "repeat", arguments: { prompt } }),
      read: ({ content, isError }) =>
        Effect.succeed({ content: content?.at(-1)?.text ?? "", isError: isError === true, threadId: "one" }),
      interrupted: (threadId) => threadId,
    }),
  event: () => undefined,
}

export const parrot: McpClientFaultSuite.FaultSubject = {
  name: "parrot",
  provider: "parrot",
  make: SdkMcpClient.make(profile),
  config: (place) => {
    if (place.transport === "stdio") {
      const { args, command, env } = place
      return McpConnectionConfig.stdio({ command, args, env })
    }
    const { headers, transport, url } = place
    const http = transport === "sse" ? McpConnectionConfig.sse : McpConnectionConfig.streamableHttp
    return http({ url, headers })
  },
  answer: { content: [{ type: "text", text: McpClientFaultSuite.answerText }] },
  transports: ["stdio", "streamable-http", "sse"],
  cannot: { "result-empty": "A parrot that says nothing has answered." },
}
