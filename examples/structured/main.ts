/**
 * Asks both agents for a verdict as a value: the schema goes to the agent, and the answer is checked by it.
 *
 *   node --conditions=zain-source examples/structured/main.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResponse } from "@zain/core"
import * as Schema from "effect/Schema"

const Verdict = Schema.Struct({
  isReady: Schema.Boolean,
  missing: Schema.Array(Schema.String),
  note: Schema.optionalKey(Schema.String),
})

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())
const sessions = await Promise.all([
  codex.session(CodexTransportFactory.local({ options: { sandbox: "read-only" } })),
  claude.session(ClaudeCodeTransportFactory.local()),
])

const content = "Is this directory ready to be published as a package? What is missing?"
for (const session of sessions) {
  const answer = McpResponse.getOrThrow(await session.execute({ content, output: Verdict }))
  const { isReady, missing } = answer.structured
  console.log(`${answer.provider}: ${isReady ? "ready" : `not ready, without ${missing.join(", ")}`}`)
}
