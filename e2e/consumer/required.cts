// The program of bundled-agents.ts in CommonJS, as Node loads it.
const { claudeCode, codex, McpResponse, McpResult } = require("@zain/agents") as typeof import("@zain/agents", { with: {
  "resolution-mode": "import",
}})

const main = async () => {
  for (const agent of [codex, claudeCode]) {
    const client = await agent.make()
    const session = McpResult.getOrThrow(await client.openSession(agent.local()))
    process.stdout.write(`${McpResponse.getOrThrow(await client.execute(session, process.argv[2] ?? "")).content}\n`)
    await client.close()
  }
}
void main()
