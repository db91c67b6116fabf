// The program of bundled.ts with the one package without Effect. SERVERS: the directory of the servers' programs.
import { claudeCode, codex, McpResponse, McpResult } from "@zain/agents"

const { SERVERS: servers } = process.env
const [, , prompt = ""] = process.argv

const server = (name: string) => (servers === undefined ? {} : { server: `${servers}/${name}.js` })

const main = async () => {
  for (const [agent, program] of [
    [codex, "zain-codex-mcp"],
    [claudeCode, "zain-claude-code-mcp"],
  ] as const) {
    const client = await agent.make()
    const session = McpResult.getOrThrow(await client.openSession(agent.local(server(program))))
    process.stdout.write(`${McpResponse.getOrThrow(await client.execute(session, prompt)).content}\n`)
    await client.close()
  }
}
void main()
