/**
 * Prints an agent's text and tools while it works, and then the tokens of the turn.
 *
 *   node --conditions=zain-source examples/streaming/main.ts
 */
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient } from "@zain/core"

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
const config = CodexTransportFactory.local({ options: { sandbox: "read-only" } })
await using session = await codex.session(config)

const prompt = "Which files are here? Say in one sentence what they are for."
for await (const piece of session.stream(prompt)) {
  if (piece._tag === "TextDelta") process.stdout.write(piece.text)
  if (piece._tag === "ToolStarted") console.log(`[${piece.title}]`)
  if (piece._tag === "ToolFinished") console.log(piece.isError ? "[failed]" : "[done]")
  if (piece._tag === "TurnCompleted") console.log()
  if (piece._tag === "Response") {
    const { usage } = piece.response
    console.log(`${usage?.inputTokens} tokens in, ${usage?.outputTokens} out.`)
  }
}
