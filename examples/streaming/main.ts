/**
 * What an agent does while it works: its text as it is written, its tools as they are used, and what the turn has cost.
 *
 *   node --conditions=zain-source examples/streaming/main.ts
 */
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResult, type McpSessionId } from "@zain/core"

await using codex = await McpPromiseClient.make(CodexMcpClientAdapter.make())
const session = await codex.openSession(CodexTransportFactory.local({ options: { sandbox: "read-only" } }))
if (McpResult.isFailure(session)) throw session.failure

/** Ends when the session is closed. */
const show = async (session: McpSessionId) => {
  for await (const event of codex.events(session)) {
    if (event._tag === "TextDelta") process.stdout.write(event.text)
    if (event._tag === "ToolStarted") console.log(`[${event.title}]`)
    if (event._tag === "ToolFinished") console.log(event.isError ? "[failed]" : "[done]")
    if (event._tag === "TurnCompleted") console.log()
  }
}
const shown = show(session.success)

const answer = await codex.execute(session.success, "Which files are here? Say in one sentence what they are for.")
await codex.closeSession(session.success)
await shown

if (McpResult.isFailure(answer)) throw answer.failure
const { inputTokens, outputTokens } = answer.success.usage ?? {}
console.log(`${inputTokens} tokens in, ${outputTokens} out.`)
