/**
 * Decides what an agent may do: by rules, then by a question at the terminal, and logs every decision. Without rules and
 * without `ask`, every request is declined.
 *
 *   node --conditions=zain-source examples/approvals/main.ts
 */
import { createInterface } from "node:readline/promises"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { type McpApproval, McpPromiseClient, McpResponse, McpResult, TerminalText } from "@zain/core"

const { visible, visibleLine } = TerminalText
const terminal = createInterface({ input: process.stdin, output: process.stdout })

const approvals: McpApproval.Options = {
  // The first rule that matches decides. A rule that approves must match the whole command.
  rules: [
    { command: /(node|npm) (--version|-v)/, answer: "approve" },
    { kind: "command", answer: { decline: "Only versions may be looked up." } },
  ],
  // Decides the other requests. `signal` aborts at the deadline, and when the turn ends.
  ask: async ({ message }, { signal }) => {
    const answer = await terminal.question(`${visibleLine(message)} [y/N] `, { signal })
    return /^y/i.test(answer) ? "approve" : { decline: "The user declined it." }
  },
  deadline: "1 minute",
  log: ({ at, by, decision, request }) =>
    console.log(
      `${new Date(at).toISOString()} ${by}: ${decision._tag} ${visibleLine(request.command ?? request.message)}`,
    ),
}

await using claude = await McpPromiseClient.make(ClaudeCodeMcpClientAdapter.make(), { approvals })
const session = McpResult.getOrThrow(await claude.openSession(ClaudeCodeTransportFactory.local()))

const prompt = "Write the versions of Node and npm to the file versions.txt. Then make a directory releases."
const { content } = McpResponse.getOrThrow(await claude.execute(session, prompt))
console.log(visible(content))
terminal.close()
