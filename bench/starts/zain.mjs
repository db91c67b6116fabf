// Asks an agent one question by @zain/agents, and prints the answer. Arguments: the provider, the program, its environment.
import { claudeCode, codex, McpResponse, McpResult } from "@zain/agents"

const [provider, command, env] = process.argv.slice(2)
const agent = provider === "codex" ? codex : claudeCode
const client = await agent.make()
const session = McpResult.getOrThrow(await client.openSession(agent.local({ command, env: JSON.parse(env) })))
const { content } = McpResponse.getOrThrow(await client.execute(session, "Say hello."))
process.stdout.write(`${content}\n`)
await client.close()
