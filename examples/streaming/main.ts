/**
 * Prints an agent's text and tools while it works, and then the tokens of the turn.
 *
 *   node --conditions=zain-source examples/streaming/main.ts
 */
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResponse, McpResult } from "@zain/core"

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
const config = CodexTransportFactory.local({ options: { sandbox: "read-only" } })
const session = McpResult.getOrThrow(await codex.openSession(config))

/** Resolves when the session is closed. */
const show = async () => {
  for await (const event of codex.events(session)) {
    if (event._tag === "TextDelta") process.stdout.write(event.text)
    if (event._tag === "ToolStarted") console.log(`[${event.title}]`)
    if (event._tag === "ToolFinished") console.log(event.isError ? "[failed]" : "[done]")
    if (event._tag === "TurnCompleted") console.log()
  }
}
const shown = show()

const prompt = "Which files are here? Say in one sentence what they are for."
const { usage } = McpResponse.getOrThrow(await codex.execute(session, prompt))
await codex.closeSession(session)
await shown
console.log(`${usage?.inputTokens} tokens in, ${usage?.outputTokens} out.`)
