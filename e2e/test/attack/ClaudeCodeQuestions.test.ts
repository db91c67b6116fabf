/** The questions of the real Claude Code; an answer holds for its question alone. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/sdk/types.js"
import type { McpApproval } from "@zain/core"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { place } from "../../src/AgentServers.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"
import * as Wishes from "../../src/Wishes.ts"

const accept: ElicitResult = { action: "accept" }
const decline: ElicitResult = { action: "decline" }

/** A thread in a repository that uses one tool after the other. `answers`: to its questions, in order; then no. */
const made = Effect.fnUntraced(function* (
  options: Readonly<Record<string, unknown>> = {},
  answers: ReadonlyArray<ElicitResult> = [],
) {
  const at = yield* place("claude-code")
  const { work } = at
  mkdirSync(join(work, "sub"))
  execFileSync("git", ["init", "--quiet"], { cwd: work })
  // The user's own settings let an unasked `cd` stay.
  const settings = JSON.stringify({ env: { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "0" } })
  writeFileSync(join(at.directory, "claude", "settings.json"), settings)
  const left = [...answers]
  const client = yield* OfficialClient.connect(at, { front: "stdio" }, () => left.shift() ?? decline)
  const next = yield* client.begin({ cwd: work, ...options })
  /** The tool's result for the model, and the questions before it. */
  const use = Effect.fnUntraced(function* (tool: string, input: Readonly<Record<string, unknown>>) {
    const before = client.asked.length
    const { content } = yield* next(Wishes.use(tool, input))
    assert.match(content, /^Result: ./, tool)
    return { received: content.slice("Result: ".length), asked: client.asked.slice(before).map(request) }
  })
  return { use, work }
})

const request = ({ _meta }: ElicitRequest["params"]) =>
  (_meta as unknown as { readonly "zain/approval": McpApproval.McpApprovalRequest })["zain/approval"]

describe("a question of the real claude-code (attack: another directory than the question says)", () => {
  /** The directory of a command after a `cd` without a question, and the directory that its question names. */
  const afterCd = Effect.fnUntraced(function* (options: Readonly<Record<string, unknown>>) {
    const { use, work } = yield* made(options, [accept])
    const moved = yield* use("Bash", { command: "cd sub" })
    assert.lengthOf(moved.asked, 0)
    const { asked, received } = yield* use("Bash", { command: "touch here; pwd" })
    return { said: asked[0], received, work }
  })

  test.live(
    "names the directory in which a command runs, after any `cd`, and that it runs without a sandbox",
    function* () {
      const { said, received, work } = yield* afterCd({})
      assert.deepInclude(said, { kind: "command", cwd: work, sandbox: "none" })
      assert.strictEqual(received, work)
      assert.isTrue(existsSync(join(work, "here")))
    },
  )

  test.live("names the wrong directory if a `cd` persists (control)", function* () {
    const { said, received, work } = yield* afterCd({
      config: { env: { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "0" } },
    })
    assert.deepInclude(said, { cwd: work })
    assert.strictEqual(received, join(work, "sub"))
  })

  test.live(
    "names the files of a tool and the targets of links, and is no command for another tool's command",
    function* () {
      const { use, work } = yield* made()
      symlinkSync(".git", join(work, "link"))
      const uses = [
        ["Read", { file_path: "/etc/hostname" }, { kind: "tool", paths: ["/etc/hostname"] }],
        ["Read", { file_path: "../secret.txt" }, { kind: "tool", paths: [join(work, "..", "secret.txt")] }],
        ["Write", { file_path: "a.txt", content: "a" }, { kind: "file-change", paths: [join(work, "a.txt")] }],
        [
          "Write",
          { file_path: "link/config", content: "a" },
          { kind: "file-change", paths: [join(work, "link", "config"), join(work, ".git", "config")] },
        ],
        [
          "Monitor",
          { command: "touch b.txt", description: "Look", timeout_ms: 1000 },
          { kind: "tool", tool: "Monitor", sandbox: "none" },
        ],
      ] as const
      for (const [tool, input, said] of uses) {
        const { asked } = yield* use(tool, input)
        assert.lengthOf(asked, 1, tool)
        assert.deepInclude(asked[0], { ...said, cwd: work })
      }
    },
  )
})

describe("a Write of the real claude-code that was approved for the session (attack: alike for the session)", () => {
  const later = [
    ["Bash", { command: "rm -rf sub" }],
    ["Bash", { command: "mv sub moved" }],
    ["Bash", { command: "sed -i s/a/b/ a.txt" }],
    ["Write", { file_path: "b.txt", content: "b" }],
  ] as const

  /** The questions after the Write, and what remains of the directory. */
  const run = Effect.fnUntraced(function* (options: Readonly<Record<string, unknown>>) {
    const { use, work } = yield* made(options, [{ ...accept, content: { forSession: true } }])
    yield* use("Write", { file_path: "a.txt", content: "a" })
    assert.isTrue(existsSync(join(work, "a.txt")))
    let asked = 0
    for (const [tool, input] of later) asked += (yield* use(tool, input)).asked.length
    return { asked, isKept: existsSync(join(work, "sub")), isWritten: existsSync(join(work, "b.txt")) }
  })

  test.live("approves nothing else", function* () {
    assert.deepStrictEqual(yield* run({}), { asked: later.length, isKept: true, isWritten: false })
  })

  test.live("approves all of it in the mode that Claude Code suggests then (control)", function* () {
    const { asked, isKept, isWritten } = yield* run({ "permission-mode": "acceptEdits" })
    assert.deepStrictEqual({ asked, isKept, isWritten }, { asked: 0, isKept: false, isWritten: true })
  })
})
