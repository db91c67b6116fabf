// Asks thirty questions in one session while others work, on its server or each on its own (`apart`), or after them, and prints
// the time of a turn in µs. Arguments: the provider, the program, its environment, `beside`, `apart` or `after`.
import { claudeCode, codex, McpResponse, McpResult } from "@zain/agents"

const [provider, command, env, when] = process.argv.slice(2)
const agent = provider === "codex" ? codex : claudeCode
const client = await agent.make()
const local = agent.local({ command, env: JSON.parse(env), maxMessageBytes: 256 * 2 ** 20, isolated: when === "apart" })
const open = async () => McpResult.getOrThrow(await client.openSession(local))
const ask = async (session, content) => McpResponse.getOrThrow(await client.execute(session, content)).content

const [asking, large, flooded, hanging] = [await open(), await open(), await open(), await open()]
const read = async () => {
  for await (const _ of client.events(flooded));
}
const work = async () => {
  const [reading, hangs] = [read(), client.execute(hanging, "Hang.")]
  const [answer] = await Promise.all([ask(large, "Say much."), ask(flooded, "Say it in pieces.")])
  if (answer.length !== 60 * 2 ** 20) throw new Error(`The large answer has ${answer.length} characters.`)
  for (const session of [flooded, hanging]) McpResult.getOrThrow(await client.closeSession(session))
  await Promise.all([reading, hangs])
}
await ask(asking, "Say hello.")
const working = work()
if (when === "after") await working
const began = performance.now()
for (let at = 0; at < 30; at++) await ask(asking, "Say hello.")
const wall = ((performance.now() - began) * 1_000) / 30
await working
process.stdout.write(JSON.stringify({ wall }))
await client.close()
