/**
 * Codex reviews `git diff`, and Claude Code fixes its findings. Codex may only read. Claude Code asks before it writes; a rule
 * approves files of this directory, except those that configure git and other programs.
 *
 *   cd your-repository && node --conditions=zain-source …/examples/review-and-fix/main.ts
 */
import { execFileSync } from "node:child_process"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpApproval, McpResponse } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** `git diff` without the commands that the configuration of git may name. */
const diff = () => {
  const args = ["-c", "core.fsmonitor=false", "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules"]
  return execFileSync("git", args, { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 })
}

const Review = Schema.Struct({ mistakes: Schema.Array(Schema.String) })

const review = Effect.fn(function* (changes: string) {
  const codex = yield* CodexMcpClientAdapter.make()
  const options = { sandbox: "read-only", approvalPolicy: "never" } as const
  const session = yield* codex.openSession(CodexTransportFactory.local({ options }))
  const content = `Review this diff for mistakes:\n\n${changes}`
  return yield* Effect.flatMap(codex.execute(session, { content, output: Review }), McpResponse.orFail)
}, Effect.scoped)

const approvals = McpApproval.make({
  rules: [{ kind: "file-change", within: process.cwd(), answer: "approve" }],
  ask: () => ({ decline: "Change only files of this directory, and none that configures programs." }),
  log: ({ decision, request }) => console.log(`${decision._tag}: ${JSON.stringify(request.paths ?? request.message)}`),
})

const fix = Effect.fn(function* (findings: string) {
  const claude = yield* ClaudeCodeMcpClientAdapter.make({ approvals })
  const session = yield* claude.openSession(ClaudeCodeTransportFactory.local())
  const content = `Fix these findings of a review in this repository, and nothing else:\n\n${findings}`
  return yield* Effect.flatMap(claude.execute(session, { content }), McpResponse.orFail)
}, Effect.scoped)

const program = Effect.gen(function* () {
  const changes = diff()
  if (changes === "") return console.log("Nothing has changed.")
  const { structured } = yield* review(changes)
  const findings = structured.mistakes.join("\n")
  console.log(`Codex: ${findings || "no mistakes"}`)
  if (findings === "") return
  const { content } = yield* fix(findings)
  console.log(`Claude Code: ${content}\n\n${diff()}`)
})

await Effect.runPromise(program)
