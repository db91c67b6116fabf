/**
 * One agent reviews what `git diff` says, the other mends what was found. The reviewer may only read; the one who mends
 * asks before it writes, and is allowed to within this directory.
 *
 *   cd your-repository && node --conditions=zain-source …/examples/review-and-fix/main.ts
 */
import { execFileSync } from "node:child_process"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpApproval, McpResponse } from "@zain/core"
import * as Effect from "effect/Effect"

const diff = () => execFileSync("git", ["diff"], { encoding: "utf8" })

const review = Effect.fn(function* (changes: string) {
  const codex = yield* CodexMcpClientAdapter.make()
  const session = yield* codex.openSession(
    CodexTransportFactory.local({ options: { sandbox: "read-only", approvalPolicy: "never" } }),
  )
  const content = `Review this diff. Answer with a list of its mistakes, or with the one word "none".\n\n${changes}`
  return yield* Effect.flatMap(codex.execute(session, { content }), McpResponse.orFail)
}, Effect.scoped)

const approvals = McpApproval.make({
  rules: [{ kind: "file-change", within: process.cwd(), answer: "approve" }],
  log: ({ decision, request }) => console.log(`${decision._tag}: ${request.paths?.join(", ") ?? request.message}`),
})

const fix = Effect.fn(function* (findings: string) {
  const claude = yield* ClaudeCodeMcpClientAdapter.make({ approvals })
  const session = yield* claude.openSession(ClaudeCodeTransportFactory.local())
  const content = `Mend what a review has found in this repository, and nothing else:\n\n${findings}`
  return yield* Effect.flatMap(claude.execute(session, { content }), McpResponse.orFail)
}, Effect.scoped)

const program = Effect.gen(function* () {
  const changes = diff()
  if (changes === "") return console.log("Nothing has changed.")
  const { content: findings } = yield* review(changes)
  console.log(`Codex: ${findings}`)
  if (/^none\b/i.test(findings)) return
  const { content } = yield* fix(findings)
  console.log(`Claude Code: ${content}\n\n${diff()}`)
})

await Effect.runPromise(program)
