/** Approvals in Codex's own dialect, in both directions. */
import { assert, describe } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalDecision, McpApprovalRequest } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as OwnWire from "./OwnWire.ts"
import { session } from "./Session.ts"

const exec = {
  message: "Allow Codex to run `/bin/bash -lc 'touch x'` in `/srv/project`?",
  requestedSchema: { type: "object", properties: {} },
  threadId: "thread-1",
  codex_elicitation: "exec-approval",
  codex_event_id: "turn-1",
  codex_call_id: "call_1",
  codex_command: ["/bin/bash", "-lc", "touch x"],
  codex_cwd: "/srv/project",
}

/** Requests an approval during a turn: the request that the policy receives, and the response to Codex. */
const asked = Effect.fnUntraced(function* (params: unknown, decision: McpApprovalDecision = McpApproval.approve) {
  const heard: Array<McpApprovalRequest> = []
  const { adapter, start, wire } = yield* session({}, {}, (request) => {
    heard.push(request)
    return Effect.succeed(decision)
  })
  const { call, fiber } = yield* start("go")
  const { result } = yield* wire.ask("elicitation/create", params)
  call.answer(OwnWire.answered("done"))
  yield* Fiber.join(fiber)
  return { heard, result, adapter }
})

describe("an approval of Codex's own MCP server (measured on 0.153.4)", () => {
  test.each([
    [McpApproval.approve, { action: "accept", content: {}, decision: "approved" }],
    [McpApproval.approveForSession, { action: "accept", content: {}, decision: "approved" }],
    [McpApproval.decline("Why?"), { action: "decline", decision: { denied: { rejection: "Why?" } } }],
  ] as const)("responds to %j in Codex's form, which the SDK accepts", function* ([decision, said]) {
    const { adapter, result } = yield* asked(exec, decision)
    assert.deepStrictEqual(result, said)
    assert.isTrue(adapter.supports.approvals)
  })

  test.each([
    [["/bin/bash", "-lc", "touch x && ls"], "touch x && ls"],
    [["/usr/bin/zsh", "-c", "ls"], "ls"],
    [["/usr/local/bin/bash", "-lc", "ls"], "ls"],
    [["bash", "-lc", "ls"], "bash -lc ls"],
    [["/usr/local/sbin/bash", "-lc", "ls"], "/usr/local/sbin/bash -lc ls"],
    [["/tmp/evil/bash", "-lc", "ls"], "/tmp/evil/bash -lc ls"],
    [["/bin/bash", "-ic", "ls"], "/bin/bash -ic ls"],
    [["/bin/bash", "-lc", "ls", "rm"], "/bin/bash -lc ls rm"],
    [["git", "commit", "-m", "it's; rm -rf ."], "git commit -m 'it'\\''s; rm -rf .'"],
    [["rm", ""], "rm ''"],
    ["ls", undefined],
    [[], undefined],
    [[1], undefined],
  ] as const)("the arguments %j are the command %j", function* ([args, command]) {
    const { heard } = yield* asked({ ...exec, codex_command: args })
    assert.deepStrictEqual(heard, [
      {
        kind: "command",
        message: exec.message,
        ...(command === undefined ? {} : { command }),
        cwd: "/srv/project",
        sandbox: "none",
      },
    ])
  })

  test("of a patch has every file that it writes, the targets of moves, and the directory that it opens", function* () {
    const { heard } = yield* asked({
      message: "Allow Codex to apply proposed code changes?",
      codex_elicitation: "patch-approval",
      codex_reason: "It was asked for.",
      codex_grant_root: "/srv/other",
      codex_changes: {
        "/srv/project/a": { type: "add", content: "hello\n" },
        "/srv/project/b": { type: "update", unified_diff: "@@ -1 +1 @@\n-a\n+b\n", move_path: "/etc/b" },
        "/srv/project/c": { type: "delete", content: "bye" },
      },
    })
    assert.deepStrictEqual(heard, [
      {
        kind: "file-change",
        message: "Allow Codex to apply proposed code changes?",
        reason: "It was asked for.",
        paths: ["/srv/project/a", "/srv/project/b", "/srv/project/c", "/etc/b", "/srv/other"],
        changes: [
          { path: "/srv/project/a", kind: "add", diff: "@@ -0,0 +1,1 @@\n+hello\n" },
          { path: "/srv/project/b", kind: "move", movedTo: "/etc/b", diff: "@@ -1 +1 @@\n-a\n+b\n" },
          { path: "/srv/project/c", kind: "delete", diff: "@@ -1,1 +0,0 @@\n-bye\n" },
        ],
      },
    ])
  })

  test("of a patch has diffs that are cut visibly at 256 KiB in total", function* () {
    const content = "x".repeat(200 * 1024)
    const add = { type: "add", content }
    const { heard } = yield* asked({ codex_elicitation: "patch-approval", codex_changes: { "/a": add, "/b": add } })
    const [first, second] = heard[0]?.changes ?? []
    assert.strictEqual(first?.diff, `@@ -0,0 +1,1 @@\n+${content}\n`)
    assert.match(second?.diff ?? "", /…\nCut: the whole diff has 204818 bytes\.$/)
    assert.isBelow((first?.diff.length ?? 0) + (second?.diff.length ?? 0), 257 * 1024)
  })

  test("of an older Codex's patch is the same, with each change wrapped in its type's name", function* () {
    const { heard } = yield* asked({
      codex_elicitation: "patch-approval",
      codex_changes: {
        "/srv/project/a": { update: { unified_diff: "", move_path: "/home/me/.bashrc" } },
        "/srv/project/b": { update: { unified_diff: "", move_path: null } },
        "/srv/project/c": { add: { content: "" } },
      },
    })
    const paths = ["/srv/project/a", "/srv/project/b", "/srv/project/c", "/home/me/.bashrc"]
    assert.deepStrictEqual(heard[0]?.paths, paths)
    assert.deepStrictEqual(
      heard[0]?.changes?.map(({ kind }) => kind),
      ["move", "update", "add"],
    )
  })

  test("of an ended turn is declined while the next turn runs, by the id of its call", function* () {
    const { start, wire } = yield* session({}, {}, McpApproval.make({ rules: [{ answer: "approve" }] }))
    const { call: over, fiber } = yield* start("first")
    over.answer(OwnWire.answered("done"))
    yield* Fiber.join(fiber)
    const { call: underWay } = yield* start("second")
    const of = (call: OwnWire.HeldCall) => ({ ...exec, codex_mcp_tool_call_id: call.id })
    const late = yield* wire.ask("elicitation/create", of(over))
    assert.deepInclude(late.result as object, { action: "decline" })
    const { result } = yield* wire.ask("elicitation/create", of(underWay))
    assert.deepInclude(result as object, { action: "accept" })
  })

  test.each([
    [{ codex_elicitation: "a kind of tomorrow", message: "May I?" }],
    [{ message: "May I?" }],
    [{}],
    [undefined],
  ] as const)("with %j is of kind permission, which no rule for commands approves", function* ([params]) {
    const { heard } = yield* asked(params)
    assert.strictEqual(heard[0]?.kind, "permission")
    const approvals = McpApproval.make({ rules: [{ command: /.*/, answer: "approve" }] })
    const { start, wire } = yield* session({}, {}, approvals)
    yield* start("go")
    const { result } = yield* wire.ask("elicitation/create", params)
    assert.deepInclude(result as object, { action: "decline" })
  })
})
