/**
 * Gives both agents a tool of this program: the model calls it, and the function runs here.
 *
 *   node --conditions=zain-source examples/own-tool/main.ts
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResponse, McpTool } from "@zain/core"
import * as Schema from "effect/Schema"

const pieces = new Map([["nut", 12]])

const stock = McpTool.make({
  name: "stock",
  description: "How many pieces of an article are in stock.",
  input: Schema.Struct({ article: Schema.String }),
  run: ({ article }, { provider }) => {
    console.log(`${provider} asks for ${article}.`)
    if (!pieces.has(article)) throw new Error(`There is no article ${article}. Articles: ${[...pieces.keys()]}.`)
    return { pieces: pieces.get(article) }
  },
})

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())
await using one = await codex.session({ ...CodexTransportFactory.local(), tools: [stock] })
await using other = await claude.session({ ...ClaudeCodeTransportFactory.local(), tools: [stock] })

for (const session of [one, other]) {
  const { content, provider } = McpResponse.getOrThrow(await session.execute("How many nuts and bolts are in stock?"))
  console.log(`${provider}: ${content}`)
}
