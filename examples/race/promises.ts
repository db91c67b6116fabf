/**
 * The same race without Effect: `Promise.any` resolves with the first good answer, and a signal cancels the other turn.
 *
 *   node --conditions=zain-source examples/race/promises.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpConnectionConfig, McpPromiseClient, McpResponse, McpResult } from "@zain/core"

const prompt = "What does this directory hold? Answer in one sentence."

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())
const race = new AbortController()
const { signal } = race

const ask = async (client: McpPromiseClient, config: McpConnectionConfig) => {
  const session = McpResult.getOrThrow(await client.openSession(config, { signal }))
  const answer = McpResponse.getOrThrow(await client.execute(session, prompt, { signal }))
  return answer
}

const winner = await Promise.any([
  ask(codex, CodexTransportFactory.local()),
  ask(claude, ClaudeCodeTransportFactory.local()),
])
race.abort()
console.log(`${winner.provider} was first: ${winner.content}`)
