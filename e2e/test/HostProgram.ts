// A host with a real agent in the middle of a turn. It waits for its end: a signal of the system's, or SIGUSR2, which
// lets it call `process.exit`.
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient } from "@zain/core"

const [, , agent, command = "", cwd = "", env = "{}"] = process.argv
const local = { command, cwd, env: JSON.parse(env) as Readonly<Record<string, string>> }
const isCodex = agent === "codex"
const client = await McpPromiseClient.make(isCodex ? CodexMcpClientAdapter.make() : ClaudeCodeMcpClientAdapter.make())
const session = await client.openSession(
  isCodex ? CodexTransportFactory.native(local) : ClaudeCodeTransportFactory.native(local),
)
if (session._tag === "Failure") throw session.failure
process.once("SIGUSR2", () => process.exit(0))
const answer = await client.execute(session.success, "Wait for a long time.")
throw new Error(`The turn has ended: ${JSON.stringify(answer)}`)
