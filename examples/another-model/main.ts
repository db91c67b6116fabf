/**
 * Reviews with the session's model, and summarizes with a smaller one, in the same conversation.
 *
 *   node --conditions=zain-source examples/another-model/main.ts
 */
import { type ClaudeCodeTurnOptions, type CodexTurnOptions, claudeCode, codex, McpResponse } from "@zain/agents"

const small = {
  codex: { model: "gpt-6-luna", effort: "low" } satisfies CodexTurnOptions,
  "claude-code": { model: "haiku" } satisfies ClaudeCodeTurnOptions,
}

await using one = await codex.make()
await using other = await claudeCode.make()
const sessions = [
  { session: await one.session(codex.local()), providerOptions: small.codex },
  { session: await other.session(claudeCode.local()), providerOptions: small["claude-code"] },
]

for (const { providerOptions, session } of sessions) {
  McpResponse.getOrThrow(await session.execute({ content: "Review the last commit." }))
  const answer = await session.execute({ content: "Say it in one sentence.", providerOptions })
  const { content, provider } = McpResponse.getOrThrow(answer)
  console.log(`${provider}: ${content}`)
}
