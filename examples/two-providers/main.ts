/**
 * Two providers in one program: only the adapter and the transport factory differ. Both agents answer the same question in
 * parallel.
 *
 *   node --conditions=zain-source examples/two-providers/main.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpConnectionConfig, McpPromiseClient, McpResponse, McpResult } from "@zain/core"

const prompt = "Who are you? Answer in one short sentence."
await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())

const ask = async (client: McpPromiseClient, config: McpConnectionConfig) => {
  const session = McpResult.getOrThrow(await client.openSession(config))
  return McpResponse.getOrThrow(await client.execute(session, prompt)).content
}

const answers = await Promise.all([
  ask(codex, CodexTransportFactory.local()),
  ask(claude, ClaudeCodeTransportFactory.local()),
])
console.log(`Codex:       ${answers[0]}\nClaude Code: ${answers[1]}`)
