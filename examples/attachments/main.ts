/**
 * Shows both agents a picture and a text file, and asks whether they agree.
 *
 *   node --conditions=zain-source examples/attachments/main.ts page.png notes.md
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { type McpAttachment, McpPromiseClient, McpResponse } from "@zain/core"

const [picture = "page.png", notes = "notes.md"] = process.argv.slice(2)
const attachments: ReadonlyArray<McpAttachment> = [
  { _tag: "Image", path: picture },
  { _tag: "TextFile", path: notes },
]

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make())
const sessions = await Promise.all([
  codex.session(CodexTransportFactory.local({ options: { sandbox: "read-only" } })),
  claude.session(ClaudeCodeTransportFactory.local()),
])

for (const session of sessions) {
  const answer = await session.execute({ content: "Does the picture show what the notes say?", attachments })
  const { content, provider } = McpResponse.getOrThrow(answer)
  console.log(`${provider}: ${content}`)
}
