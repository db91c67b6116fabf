import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { McpPromiseClient, McpResponse, McpResult } from "@zain/core"

await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())
const session = McpResult.getOrThrow(await claude.openSession(ClaudeCodeTransportFactory.local()))

for (const prompt of ["My name is Zain. Say hello.", "What is my name?"]) {
  const { content } = McpResponse.getOrThrow(await claude.execute(session, prompt))
  console.log(content)
}
