/**
 * The approval options of `zain run`, and the questions of approvals.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type * as McpApproval from "@zain/core/McpApproval"
import { McpSessionId } from "@zain/core/McpSessionId"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Result } from "effect"
import picocolors from "picocolors"
import * as ApprovalFlags from "../../src/run/ApprovalFlags.ts"
import * as ApprovalText from "../../src/run/ApprovalText.ts"

const asker = {
  provider: "codex",
  sessionId: McpSessionId.make("00000000-0000-4000-8000-000000000000"),
  turn: 1,
} as const
const none = { approveCommand: [], approveCommandMatching: [], approveChanges: [], approveTool: [] }
const plain = { paint: picocolors.createColors(false), columns: () => 100, rows: () => 40 }

const decides = (
  options: Partial<Parameters<typeof ApprovalFlags.rules>[0] & { readonly approveChanges: ReadonlyArray<string> }>,
  request: McpApproval.McpApprovalRequest,
) => {
  const flags = { ...none, ...options }
  const policy = ApprovalFlags.policy(Result.getOrThrow(ApprovalFlags.rules(flags)), flags.approveChanges, {})
  return Effect.map(policy(request, asker), ({ _tag }) => _tag !== "Decline")
}
const allows = (...asked: Parameters<typeof decides>) => Effect.runSync(decides(...asked))

const command = (command: string): McpApproval.McpApprovalRequest => ({ kind: "command", message: "?", command })
const change = (...paths: ReadonlyArray<string>): McpApproval.McpApprovalRequest => ({
  kind: "file-change",
  message: "?",
  paths,
})

describe("the approval options", () => {
  it("approve the exact command line of --approve-command", () => {
    const options = { approveCommand: ["npm test"] }
    assert.isTrue(allows(options, command("npm test")))
    for (const other of ["npm test && rm -rf /", "npm  test", "npm test\nrm x", " npm test", "npm"]) {
      assert.isFalse(allows(options, command(other)), other)
    }
    assert.isFalse(allows(options, { kind: "permission", message: "?", command: "npm test" }))
  })

  test("approve command lines that match --approve-command-matching as a whole, without a second line", function* () {
    const options = { approveCommandMatching: ["git (status|diff)|ls .*"] }
    assert.isTrue(yield* decides(options, command("git diff")))
    assert.isTrue(yield* decides(options, command("ls -l")))
    for (const other of ["git diff --output=x", "sudo git diff", "ls -l\nrm x"]) {
      assert.isFalse(yield* decides(options, command(other)), other)
    }
  })

  /** A directory `project` with a `src`, and one beside it. */
  const places = Effect.map(directory, (top) => {
    mkdirSync(join(top, "project/src/deep"), { recursive: true })
    mkdirSync(join(top, "beside"))
    writeFileSync(join(top, "beside/file"), "")
    return { top, beside: join(top, "beside"), project: join(top, "project"), src: join(top, "project/src") }
  })

  test("approve changes of which every file lies in the directory of --approve-changes", function* () {
    const { project, src } = yield* places
    const options = { approveChanges: [src] }
    assert.isTrue(yield* decides(options, change(`${src}/a.ts`, `${src}/deep/b.ts`, `${src}/new/c.ts`)))
    assert.isTrue(yield* decides(options, { ...change("a.ts"), cwd: src }))
    assert.isTrue(yield* decides(options, { ...change("src/a.ts"), cwd: project }))
    assert.isFalse(yield* decides(options, { ...change("../b.ts"), cwd: src }))
    assert.isFalse(yield* decides(options, { ...change("~/b.ts"), cwd: src }))
    assert.isFalse(yield* decides(options, change(`${src}/a.ts`, `${project}/b.ts`)))
    assert.isFalse(yield* decides(options, change(`${src}/../b.ts`)))
    assert.isFalse(yield* decides(options, change("a.ts")))
    assert.isFalse(yield* decides(options, change()))
    assert.isFalse(yield* decides(options, { kind: "command", message: "?", command: "rm a", cwd: src }))
  })

  test("approve no change that a link leads out of the directory", function* () {
    const { beside, src, top } = yield* places
    const options = { approveChanges: [src] }
    symlinkSync(beside, join(src, "away"))
    symlinkSync(join(beside, "file"), join(src, "file"))
    symlinkSync(join(beside, "not-there-yet"), join(src, "dangling"))
    symlinkSync("loop", join(src, "loop"))
    symlinkSync(join(src, "deep"), join(src, "within"))
    for (const path of ["away/new", "away/deep/new", "file", "dangling", "dangling/x", "loop", "away/../a", "loop/x"]) {
      assert.isFalse(yield* decides(options, change(join(src, "a"), `${src}/${path}`)), path)
      assert.isFalse(yield* decides(options, { ...change(path), cwd: src }), path)
    }
    assert.isTrue(yield* decides(options, change(`${src}/within/a`)))
    // A directory that is given by a link is the one that it leads to.
    symlinkSync(src, join(top, "alias"))
    assert.isTrue(yield* decides({ approveChanges: [join(top, "alias")] }, change(join(src, "a"))))
    assert.isTrue(yield* decides(options, change(join(top, "alias/a"))))
    assert.isFalse(yield* decides({ approveChanges: [join(top, "alias")] }, change(join(src, "away/a"))))
  })

  test("decline other changes with a reason for the agent and the user", function* () {
    const { beside, src } = yield* places
    const heard: Array<McpApproval.McpApprovalEntry> = []
    const policy = ApprovalFlags.policy([], [src], { log: (entry) => heard.push(entry) })
    const reason = `Changes are allowed only in ${src}, except .git and the like; some of these are elsewhere.`
    const decision = yield* policy(change(join(beside, "a")), asker)
    assert.deepStrictEqual(decision, { _tag: "Decline", reason })
    const [entry] = heard
    assert.include(entry && ApprovalText.decided(entry, plain.paint), `\n  ${reason}`)
  })

  it("approve the exact tool of --approve-tool", () => {
    const options = { approveTool: ["WebFetch"] }
    assert.isTrue(allows(options, { kind: "tool", message: "?", tool: "WebFetch" }))
    assert.isFalse(allows(options, { kind: "tool", message: "?", tool: "WebFetch2" }))
    assert.isFalse(allows(options, { kind: "command", message: "?", command: "x", tool: "WebFetch" }))
  })
})

describe("the question on a terminal", () => {
  it("escapes invisible characters, so that the shown command is the approved one", () => {
    const request = command("echo ok\u001b[2K\rrm -rf \u202e~\u00a0/x\necho two")
    const text = ApprovalText.question("Codex", { ...request, cwd: "/a\u0007b" }, plain)
    assert.deepStrictEqual(text.split("\n"), [
      "Codex wants to run a command:",
      "  command  echo ok\\u{1b}[2K\\u{d}rm -rf \\u{202e}~\\u{a0}/x",
      "           echo two",
      "  in       /a\\u{7}b",
    ])
  })

  it("escapes characters that look like spaces", () => {
    for (const character of [..."\u2800\u3164\u115f\uffa0\u034f\u17b4\u{e0100}\ufe0f\u00ad\u2060\u3000"]) {
      const text = ApprovalText.question("Codex", command(`a${character}b`), plain)
      assert.include(text, `a\\u{${character.codePointAt(0)?.toString(16)}}b`)
    }
  })

  it("wraps a command exactly into rows that fit, and marks continued rows", () => {
    const text = ApprovalText.question("Codex", command(`echo ${"ab".repeat(20)}\nnext 漢字漢字漢字漢字漢字漢字漢字`), {
      ...plain,
      columns: () => 40,
    })
    assert.deepStrictEqual(text.split("\n"), [
      "Codex wants to run a command:",
      `  command  echo ${"ab".repeat(12)}`,
      `         │ ${"ab".repeat(8)}`,
      "           next 漢字漢字漢字漢字漢字漢字",
      "         │ 漢字",
    ])
  })

  it("repeats its subject before the answers if it is longer than a third of the screen", () => {
    const text = (lines: number) =>
      ApprovalText.question("Codex", command(Array.from({ length: lines }, () => "ls").join("\n")), plain).split("\n")
    assert.strictEqual(text(12).at(-1), "           ls")
    assert.strictEqual(text(65).at(-1), "Codex wants to run a command: (66 lines, begins above)")
  })

  it("shows command, tool, input, files, directory and reason", () => {
    const request: McpApproval.McpApprovalRequest = {
      kind: "permission",
      message: "Allow Codex to use the network?",
      command: "curl x",
      cwd: "/work",
      paths: ["/etc/a", "/etc/b"],
      input: { network: { enabled: true } },
      reason: "to look",
    }
    const text = ApprovalText.question("Codex", request, plain)
    assert.include(text, "Allow Codex to use the network?\nThis exceeds its sandbox.\n")
    for (const part of ["curl x", "/etc/a", "/etc/b", '"enabled": true', "/work", "to look"]) assert.include(text, part)
  })

  it("names the option that would approve a declined request, quoted for a shell", () => {
    assert.strictEqual(ApprovalFlags.optionFor(command("npm test")), "--approve-command 'npm test'")
    assert.strictEqual(ApprovalFlags.optionFor(command("echo 'a'")), `--approve-command 'echo '\\''a'\\'''`)
    assert.strictEqual(ApprovalFlags.optionFor({ kind: "tool", message: "?", tool: "a.b" }), "--approve-tool a.b")
    assert.isUndefined(ApprovalFlags.optionFor({ kind: "permission", message: "?", command: "curl x" }))
    // It would be shown written out, and match nothing.
    for (const hidden of ["ls\u001b[2K", "ls\u00a0x", "ls\u202ex"])
      assert.isUndefined(ApprovalFlags.optionFor(command(hidden)))
  })
})
