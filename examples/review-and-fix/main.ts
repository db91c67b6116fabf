/**
 * One agent reviews what `git diff` says, the other mends what was found. The reviewer may only read; the one who mends
 * asks before it writes, and is allowed to within this directory, but for what configures git.
 *
 *   cd your-repository && node --conditions=zain-source …/examples/review-and-fix/main.ts
 */
import { execFileSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpApproval, McpResponse } from "@zain/core"
import * as Effect from "effect/Effect"

/** The diff itself: git's own configuration may name commands that make it, or that look for changes. */
const diff = () => {
  const plain = ["--no-ext-diff", "--no-textconv", "--ignore-submodules"]
  const options = { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 } as const
  return execFileSync("git", ["-c", "core.fsmonitor=false", "diff", ...plain], options)
}

const review = Effect.fn(function* (changes: string) {
  const codex = yield* CodexMcpClientAdapter.make()
  const session = yield* codex.openSession(
    CodexTransportFactory.local({ options: { sandbox: "read-only", approvalPolicy: "never" } }),
  )
  const content = `Review this diff. Answer with a list of its mistakes, or with the one word "none".\n\n${changes}`
  return yield* Effect.flatMap(codex.execute(session, { content }), McpResponse.orFail)
}, Effect.scoped)

const here = realpathSync(process.cwd())

/** A rule for a directory leaves out its `.git`, and the agent server says where links lead. */
const approvals = McpApproval.make({
  rules: [{ kind: "file-change", within: here, answer: "approve" }],
  ask: () => ({ decline: "Only files of this directory may be changed, and none that sets up programs." }),
  log: ({ decision, request }) => console.log(`${decision._tag}: ${JSON.stringify(request.paths ?? request.message)}`),
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
