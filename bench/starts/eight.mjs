// Opens eight sessions with an agent on one server, asks each one question, and prints what all its processes hold. Arguments: the provider, the program, its environment.
import { readdirSync, readFileSync } from "node:fs"
import { claudeCode, codex, McpResponse, McpResult } from "@zain/agents"

const [provider, command, env] = process.argv.slice(2)
const agent = provider === "codex" ? codex : claudeCode
const client = await agent.make()
for (let at = 0; at < 8; at++) {
  const local = agent.local({ command, env: JSON.parse(env) })
  const session = McpResult.getOrThrow(await client.openSession(local))
  McpResponse.getOrThrow(await client.execute(session, "Say hello."))
}

const read = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}
const pids = readdirSync("/proc").filter((name) => Number(name) > 0)
const parents = new Map(pids.map((pid) => [pid, /\) \S (\d+)/.exec(read(pid, "stat"))?.[1]]))
const isOurs = (pid) => pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)))
const heldBy = (pid) => Number(/^Pss: +(\d+)/m.exec(read(pid, "smaps_rollup"))?.[1] ?? 0) * 1_024
const agents = pids.filter((pid) => pid !== String(process.pid) && isOurs(pid))
process.stdout.write(JSON.stringify({ resident: agents.reduce((sum, pid) => sum + heldBy(pid), 0) / 8 }))
await client.close()
