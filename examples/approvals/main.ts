/**
 * Who decides what an agent may do: rules first, then you at the terminal, and every decision in a log. Without rules and
 * without anybody to ask, everything is declined.
 *
 *   node --conditions=zain-source examples/approvals/main.ts
 */
import { createInterface } from "node:readline/promises"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { type McpApproval, McpPromiseClient, McpResult } from "@zain/core"

const terminal = createInterface({ input: process.stdin, output: process.stdout })

/** On one line, and without what a terminal would obey: it is an agent's text. */
const shown = (text: string) =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const approvals: McpApproval.Options = {
  // The first that matches decides. A command is matched as a whole.
  rules: [
    { command: /(node|npm) (--version|-v)/, answer: "approve" },
    { kind: "command", answer: { decline: "Only versions may be looked up." } },
  ],
  // What no rule decides. `signal` aborts when nobody waits for the answer any more.
  ask: async ({ message }, { signal }) => {
    const answer = await terminal.question(`${shown(message)} [y/N] `, { signal })
    return /^y/i.test(answer) ? "approve" : { decline: "The user does not want it." }
  },
  deadline: "1 minute",
  log: ({ at, by, decision, request }) =>
    console.log(`${new Date(at).toISOString()} ${by}: ${decision._tag} ${shown(request.command ?? request.message)}`),
}

await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make(), { approvals })
const session = await claude.openSession(ClaudeCodeTransportFactory.local())
if (McpResult.isFailure(session)) throw session.failure

const prompt = "Write the versions of Node and npm to the file versions.txt. Then make a directory releases."
const answer = await claude.execute(session.success, prompt)
const told = McpResult.isSuccess(answer) ? answer.success.content : answer.failure.message
console.log(told.split("\n").map(shown).join("\n"))
terminal.close()
