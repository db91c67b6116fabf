// A program for bundlers: it asks both agents one question, and prints the answers. SERVERS: the directory of the servers' programs.
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpPromiseClient, McpResponse, McpResult } from "@zain/core"

const { SERVERS: servers } = process.env
const [, , prompt = ""] = process.argv

const server = (name: string) => (servers === undefined ? {} : { server: `${servers}/${name}.js` })
const agents = [
  [CodexMcpClientAdapter.make(), CodexTransportFactory.local(server("zain-codex-mcp"))],
  [ClaudeCodeMcpClientAdapter.make(), ClaudeCodeTransportFactory.local(server("zain-claude-code-mcp"))],
] as const

const main = async () => {
  for (const [adapter, local] of agents) {
    const client = await McpPromiseClient.make(adapter)
    const session = McpResult.getOrThrow(await client.openSession(local))
    process.stdout.write(`${McpResponse.getOrThrow(await client.execute(session, prompt)).content}\n`)
    await client.close()
  }
}
void main()
