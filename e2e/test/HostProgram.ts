// A host with a real agent in the middle of a turn. It waits for its end: a signal of the system's, or SIGUSR2, which
// lets it call `process.exit`.
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient } from "@zain/core"

const [, , agent, profile, command = "", cwd = "", env = "{}"] = process.argv
const local = { command, cwd, env: JSON.parse(env) as Readonly<Record<string, string>> }
const approvals = { rules: [{ answer: "approve" }] } as const
const ways = {
  "codex native": () =>
    [CodexMcpClientAdapter.make({ profile: "native" }), CodexTransportFactory.native(local)] as const,
  "codex agent-server": () => [CodexMcpClientAdapter.make(), CodexTransportFactory.local(local)] as const,
  "claude-code native": () =>
    [ClaudeCodeMcpClientAdapter.make({ profile: "native" }), ClaudeCodeTransportFactory.native(local)] as const,
  "claude-code agent-server": () =>
    [ClaudeCodeMcpClientAdapter.make(), ClaudeCodeTransportFactory.local(local)] as const,
}
const [adapter, config] = ways[`${agent} ${profile}` as keyof typeof ways]()
const client = await McpPromiseClient.make(adapter, { approvals })
const session = await client.openSession(config)
if (session._tag === "Failure") throw session.failure
process.once("SIGUSR2", () => process.exit(0))
const answer = await client.execute(session.success, "Wait for a long time.")
throw new Error(`The turn has ended: ${JSON.stringify(answer)}`)
