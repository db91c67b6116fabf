/**
 * A conversation that survives `kill -9`, and an approval that shows what is written. Kill the program while it asks, and
 * start it again in the same directory: the agent goes on where it was.
 *
 *   node --conditions=zain-source examples/resume/main.ts
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { type McpApproval, McpPromiseClient, McpResult } from "@zain/core"

const place = "thread.txt"
const threadId = existsSync(place) ? readFileSync(place, "utf8") : undefined
const terminal = createInterface({ input: process.stdin, output: process.stdout })

/** Without what a terminal would obey: it is an agent's text. */
const shown = (text: string) =>
  text.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const approvals: McpApproval.Options = {
  ask: async ({ changes = [], message }, { signal }) => {
    for (const { diff, kind, path } of changes) console.log(shown(`${kind} ${path}\n${diff}`))
    const answer = await terminal.question(`${shown(message)} [y/N] `, { signal })
    return /^y/i.test(answer) ? "approve" : { decline: "The user does not want it." }
  },
}

await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make(), { approvals })
const options = threadId === undefined ? {} : { threadId }
const session = await claude.openSession(ClaudeCodeTransportFactory.local({ options }))
if (McpResult.isFailure(session)) throw session.failure

const keepThread = async () => {
  for await (const event of claude.events(session.success))
    if (event._tag === "ThreadStarted") writeFileSync(place, event.threadId)
}
void keepThread()
const prompt = threadId === undefined ? "Write a haiku about this directory to haiku.txt." : "Go on."
const answer = await claude.execute(session.success, prompt)
console.log(shown(McpResult.isSuccess(answer) ? answer.success.content : answer.failure.message))
if (McpResult.isSuccess(answer)) rmSync(place, { force: true })
terminal.close()
