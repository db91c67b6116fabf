/**
 * Both agents work on a task. Where a limit of an account ends a turn, the program waits for its reset, shows the wait, and
 * asks the agent to go on; a budget bounds both agents together.
 *
 *   node --conditions=zain-source examples/limit-waited-out/main.ts "Which files have no tests?"
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpBudget, type McpConnectionConfig, McpPromiseClient, McpPromiseRetry, McpResponse } from "@zain/core"

const task = process.argv[2] ?? "What does this directory hold? Answer in one sentence."
const budget = McpBudget.make({ turns: 20, time: "12 hours" })

const work = async (client: McpPromiseClient, config: McpConnectionConfig) => {
  await using session = await client.session(config)
  const answer = await McpPromiseRetry.untilReset(session, task, {
    onWait: ({ until, window = "a limit" }) =>
      console.log(`${client.provider} waits for ${window} until ${new Date(until).toISOString()}.`),
  })
  console.log(`${client.provider}: ${McpResponse.getOrThrow(answer).content}`)
}

await using codex = await McpPromiseClient.make(budget.limit(CodexMcpClientAdapter.make()))
await using claude = await McpPromiseClient.make(budget.limit(ClaudeCodeMcpClientAdapter.make()))
await Promise.all([work(codex, CodexTransportFactory.local()), work(claude, ClaudeCodeTransportFactory.local())])
console.log(`${budget.spent().turns} turns, ${budget.spent().tokens} tokens.`)
