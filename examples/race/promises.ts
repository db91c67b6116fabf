/**
 * The same race without Effect: `Promise.any` finds the first good answer, and a signal stops the other agent.
 *
 *   node --conditions=zain-source examples/race/promises.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpConnectionConfig, McpPromiseClient, McpResult } from "@zain/core"

const prompt = "What does this directory hold? Answer in one sentence."

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())
const over = new AbortController()
const { signal } = over

const ask = async (client: McpPromiseClient, config: McpConnectionConfig) => {
  const session = await client.openSession(config, { signal })
  if (McpResult.isFailure(session)) throw session.failure
  const answer = await client.execute(session.success, prompt, { signal })
  if (McpResult.isFailure(answer)) throw answer.failure
  if (answer.success.isError) throw new Error(answer.success.content)
  return answer.success
}

const winner = await Promise.any([
  ask(codex, CodexTransportFactory.local()),
  ask(claude, ClaudeCodeTransportFactory.local()),
])
over.abort()
console.log(`${winner.provider} was first: ${winner.content}`)
