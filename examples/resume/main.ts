/**
 * Continues a conversation after `kill -9`, and shows the diff before it asks for approval. Kill the program while it asks,
 * and start it again in the same directory.
 *
 *   node --conditions=zain-source examples/resume/main.ts
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { type McpApproval, McpPromiseClient, TerminalText } from "@zain/core"

const { visible } = TerminalText
const file = "thread.txt"
const options = existsSync(file) ? { threadId: readFileSync(file, "utf8") } : {}
const terminal = createInterface({ input: process.stdin, output: process.stdout })

const approvals: McpApproval.Options = {
  ask: async ({ changes = [], message }, { signal }) => {
    for (const { diff, kind, path } of changes) console.log(visible(`${kind} ${path}\n${diff}`))
    const answer = await terminal.question(`${visible(message)} [y/N] `, { signal })
    return /^y/i.test(answer) ? "approve" : { decline: "The user declined it." }
  },
}

await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make(), { approvals })
await using session = await claude.session(ClaudeCodeTransportFactory.local({ options }))

const prompt = "threadId" in options ? "Go on." : "Write a haiku about this directory to haiku.txt."
for await (const piece of session.stream(prompt)) {
  if (piece._tag === "ThreadStarted") writeFileSync(file, piece.threadId)
  if (piece._tag === "Response") console.log(visible(piece.response.content))
}
rmSync(file, { force: true })
terminal.close()
