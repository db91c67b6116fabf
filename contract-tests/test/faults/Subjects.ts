/** The adapters of this repository as subjects of the fault suite. */
import { CodexMcpClientAdapter } from "@zain/codex-client"
import { McpConnectionConfig, McpProvider } from "@zain/core"
import { McpClientFaultSuite } from "../../src/index.ts"

const text = McpClientFaultSuite.answerText

const config: McpClientFaultSuite.FaultSubject["config"] = (place) => {
  if (place.transport === "stdio") {
    const { args, command, env } = place
    return McpConnectionConfig.stdio({ command, env, args: [...args, "mcp-server"] })
  }
  const { headers, transport, url } = place
  const http = transport === "sse" ? McpConnectionConfig.sse : McpConnectionConfig.streamableHttp
  return http({ url, headers })
}

export const codex: McpClientFaultSuite.FaultSubject = {
  name: "Codex",
  provider: McpProvider.codex,
  make: CodexMcpClientAdapter.make(),
  config,
  answer: { content: [{ type: "text", text }], structuredContent: { threadId: "thread-1", content: text } },
  transports: ["stdio", "streamable-http", "sse"],
}
