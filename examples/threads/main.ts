/**
 * Forks the newest conversation of each agent in this directory at its first turn, continues the copy, and archives the origin.
 *
 *   node --conditions=zain-source examples/threads/main.ts
 */
import { claudeCode, codex } from "@zain/agents"

await using one = await codex.make()
await using other = await claudeCode.make()
const agents = [
  { client: one, local: codex.local },
  { client: other, local: claudeCode.local },
] as const

for (const { client, local } of agents) {
  await using session = await client.session(local())
  await session.execute("Remember the word zebra.")
  await session.execute("Forget it.")

  const listed = await session.threads.list({ cwd: process.cwd(), limit: 1 })
  if (listed._tag === "Failure") throw listed.failure
  const [newest] = listed.success.threads
  if (newest === undefined) continue
  console.log(`${client.provider}: ${newest.firstPrompt}`)

  const read = await session.threads.read(newest.threadId, { limit: 1 })
  if (read._tag === "Failure") throw read.failure
  const [first] = read.success.turns
  const forked = await session.threads.fork(newest.threadId, first === undefined ? {} : { turn: first.turn })
  if (forked._tag === "Failure") throw forked.failure

  await using copy = await client.session(local({ options: { threadId: forked.success } }))
  const answer = await copy.execute("What was the word?")
  console.log(answer._tag === "Success" ? answer.success.content : answer.failure.message)

  await session.close()
  console.log((await copy.threads.archive(newest.threadId))._tag)
}
