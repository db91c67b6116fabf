/**
 * What the options of `zain run` allow, and how people are shown what an agent asks.
 */
import { assert, describe, it } from "@effect/vitest"
import * as McpApproval from "@zain/core/McpApproval"
import { McpSessionId } from "@zain/core/McpSessionId"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import picocolors from "picocolors"
import * as ApprovalFlags from "../../src/run/ApprovalFlags.ts"
import * as ApprovalText from "../../src/run/ApprovalText.ts"

const asker = {
  provider: "codex",
  sessionId: McpSessionId.make("00000000-0000-4000-8000-000000000000"),
  turn: 1,
} as const
const none = { approveCommand: [], approveCommandMatching: [], approveChanges: [], approveTool: [] }
const plain = picocolors.createColors(false)

const allows = (
  options: Partial<Parameters<typeof ApprovalFlags.rules>[0]>,
  request: McpApproval.McpApprovalRequest,
) => {
  const rules = Result.getOrThrow(ApprovalFlags.rules({ ...none, ...options }))
  return Effect.runSync(McpApproval.make({ rules })(request, asker))._tag !== "Decline"
}

const command = (command: string): McpApproval.McpApprovalRequest => ({ kind: "command", message: "?", command })
const change = (...paths: ReadonlyArray<string>): McpApproval.McpApprovalRequest => ({
  kind: "file-change",
  message: "?",
  paths,
})

describe("the options that allow", () => {
  it("--approve-command allows that command line and no other", () => {
    const options = { approveCommand: ["npm test"] }
    assert.isTrue(allows(options, command("npm test")))
    for (const other of ["npm test && rm -rf /", "npm  test", "npm test\nrm x", " npm test", "npm"]) {
      assert.isFalse(allows(options, command(other)), other)
    }
    assert.isFalse(allows(options, { kind: "permission", message: "?", command: "npm test" }))
  })

  it("--approve-command-matching allows what matches from end to end, and no second line", () => {
    const options = { approveCommandMatching: ["git (status|diff)|ls .*"] }
    assert.isTrue(allows(options, command("git diff")))
    assert.isTrue(allows(options, command("ls -l")))
    for (const other of ["git diff --output=x", "sudo git diff", "ls -l\nrm x"]) {
      assert.isFalse(allows(options, command(other)), other)
    }
  })

  it("--approve-changes allows changes of files in a directory, all of them", () => {
    const options = { approveChanges: ["/project/src"] }
    assert.isTrue(allows(options, change("/project/src/a.ts", "/project/src/deep/b.ts")))
    assert.isFalse(allows(options, change("/project/src/a.ts", "/project/b.ts")))
    assert.isFalse(allows(options, change("/project/src/../b.ts")))
    assert.isFalse(allows(options, change()))
    assert.isFalse(allows(options, { kind: "command", message: "?", command: "rm a", cwd: "/project/src" }))
  })

  it("--approve-tool allows that tool and no other", () => {
    const options = { approveTool: ["WebFetch"] }
    assert.isTrue(allows(options, { kind: "tool", message: "?", tool: "WebFetch" }))
    assert.isFalse(allows(options, { kind: "tool", message: "?", tool: "WebFetch2" }))
    assert.isFalse(allows(options, { kind: "command", message: "?", command: "x", tool: "WebFetch" }))
  })

  it("allow nothing of themselves", () => {
    assert.isFalse(allows({}, command("ls")))
    assert.isFalse(allows({}, change("/a")))
  })
})

describe("the question to people", () => {
  it("writes out what cannot be seen, so that what is allowed is what is shown", () => {
    const request = command("echo ok\u001b[2K\rrm -rf \u202e~\u00a0/x\necho two")
    const text = ApprovalText.question("Codex", { ...request, cwd: "/a\u0007b" }, plain)
    assert.deepStrictEqual(text.split("\n"), [
      "Codex wants to run a command:",
      "  command  echo ok\\u{1b}[2K\\u{d}rm -rf \\u{202e}~\\u{a0}/x",
      "           echo two",
      "  in       /a\\u{7}b",
    ])
  })

  it("shows all that is asked for: what, with what, which files, where, and why", () => {
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
    assert.include(text, "Allow Codex to use the network?\nThis is more than its sandbox allows.\n")
    for (const part of ["curl x", "/etc/a", "/etc/b", '"enabled": true', "/work", "to look"]) assert.include(text, part)
  })

  it("names the option that would allow what was declined, as a shell takes it", () => {
    assert.strictEqual(ApprovalFlags.optionFor(command("npm test")), "--approve-command 'npm test'")
    assert.strictEqual(ApprovalFlags.optionFor(command("echo 'a'")), `--approve-command 'echo '\\''a'\\'''`)
    assert.strictEqual(ApprovalFlags.optionFor({ kind: "tool", message: "?", tool: "a.b" }), "--approve-tool a.b")
    assert.isUndefined(ApprovalFlags.optionFor({ kind: "permission", message: "?", command: "curl x" }))
  })
})
