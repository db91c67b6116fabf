// Asks a neutral MCP server one question by @zain/agents, and prints the CPU in µs and the resident memory in bytes of this process.
import { codex, McpConnectionConfig, McpResponse, McpResult } from "@zain/agents"

const [, , command, ...args] = process.argv
const client = await codex.make()
const session = McpResult.getOrThrow(await client.openSession(McpConnectionConfig.stdio({ command, args })))
McpResponse.getOrThrow(await client.execute(session, "Say hello."))
const { system, user } = process.cpuUsage()
process.stdout.write(JSON.stringify({ cpu: system + user, resident: process.memoryUsage.rss() }))
await client.close()
