import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { McpPromiseClient, McpResult } from "@zain/core"

await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())

const session = await claude.openSession(ClaudeCodeTransportFactory.local())
if (McpResult.isFailure(session)) throw session.failure

for (const prompt of ["My name is Zain. Say hello.", "What is my name?"]) {
  const answer = await claude.execute(session.success, prompt)
  console.log(McpResult.isSuccess(answer) ? answer.success.content : answer.failure.message)
}
