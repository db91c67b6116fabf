/**
 * Gives both agents a task, and speaks into it while they work.
 *
 *   node --conditions=zain-source examples/steer/main.ts
 */
import { claudeCode, codex } from "@zain/agents"

await using one = await codex.make()
await using other = await claudeCode.make()
const sessions = [await one.session(codex.local()), await other.session(claudeCode.local())]

for (const session of sessions) {
  let steered: ReturnType<typeof session.steer> | undefined
  for await (const piece of session.stream("Port the tests to vitest.")) {
    if (piece._tag === "ToolStarted") steered ??= session.steer("Leave the snapshots alone.")
    if (piece._tag === "Response") console.log(`${piece.response.provider}: ${piece.response.content}`)
  }
  console.log(await steered)
}
