/**
 * Two providers in one program: another adapter and another transport factory, and nothing else changes. Both agents answer
 * the same question at the same time.
 *
 *   node --conditions=zain-source examples/two-providers/main.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpConnectionConfig, McpPromiseClient, McpResult } from "@zain/core"

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())

const ask = async (client: McpPromiseClient, config: McpConnectionConfig, prompt: string) => {
  const session = await client.openSession(config)
  if (McpResult.isFailure(session)) return session.failure.message
  const answer = await client.execute(session.success, prompt)
  return McpResult.isSuccess(answer) ? answer.success.content : answer.failure.message
}

const prompt = "Who are you? Answer in one short sentence."
const [one, other] = await Promise.all([
  ask(codex, CodexTransportFactory.local(), prompt),
  ask(claude, ClaudeCodeTransportFactory.local(), prompt),
])
console.log(`Codex:       ${one}\nClaude Code: ${other}`)
