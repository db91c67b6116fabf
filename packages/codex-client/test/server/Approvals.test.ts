import { assert, describe } from "@effect/vitest"
import type { McpApprovalReply, McpApprovalRequest } from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { test } from "../../../tool-server/test/Test.ts"
import { codex, listener, script } from "./Codex.ts"

const approve: McpApprovalReply = { _tag: "Approve" }
const decline: McpApprovalReply = { _tag: "Decline", reason: "too risky" }

interface Case {
  readonly what: string
  readonly ask: string
  readonly params: object
  readonly request: McpApprovalRequest
  /** What Codex is answered: approved, also where it is for the session, and declined. */
  readonly answers: readonly [unknown, unknown]
}

const decisions = [{ decision: "accept" }, { decision: "decline" }] as const
const reviews = [{ decision: "approved" }, { decision: { denied: { rejection: "too risky" } } }] as const

const commandCase = (what: string, command: string, shown: string): Case => ({
  what,
  ask: "item/commandExecution/requestApproval",
  params: { itemId: "i", kind: "command", command, cwd: "/w", reason: "May I?" },
  request: {
    kind: "command",
    message: `Allow Codex to run \`${shown}\` in \`/w\` without a sandbox?`,
    command: shown,
    cwd: "/w",
    sandbox: "none",
    reason: "May I?",
  },
  answers: decisions,
})

const permissions = {
  network: { enabled: true },
  fileSystem: {
    read: ["/e"],
    write: ["/d"],
    entries: [
      { path: { type: "path", path: "/e" }, access: "read" },
      { path: { type: "path", path: "/d" }, access: "write" },
    ],
  },
}

const root = {
  fileSystem: { entries: [{ access: "write", path: { type: "special", value: { kind: "root" } } }] },
}

const pattern = {
  fileSystem: {
    read: ["/etc/hosts"],
    entries: [{ access: "read", path: { type: "glob_pattern", pattern: "/**/key" } }],
  },
}

const cases: ReadonlyArray<Case> = [
  commandCase("a command", "/bin/bash -lc 'make all'", "make all"),
  commandCase("a command with quotes, as it is", `/bin/bash -lc "echo 'a'"`, "echo 'a'"),
  commandCase("a command with more quotes, as it is", `/bin/bash -lc 'a'"'"'b'`, `/bin/bash -lc 'a'"'"'b'`),
  commandCase("a command with a shell of its own, as it is", "./evil/bash -lc 'ls'", "./evil/bash -lc 'ls'"),
  {
    what: "a host",
    ask: "item/commandExecution/requestApproval",
    params: { itemId: "i", command: "curl x", networkApprovalContext: { host: "example.org", protocol: "https" } },
    request: {
      kind: "permission",
      message: "Allow Codex to reach example.org for `curl x`?",
      command: "curl x",
      paths: [],
    },
    answers: decisions,
  },
  {
    what: "input for a command, which is not the command",
    ask: "item/commandExecution/requestApproval",
    params: { itemId: "i", approvalId: "j", kind: "writeStdin", command: "write_stdin 'exit'", cwd: "/w" },
    request: {
      kind: "command",
      message: "Allow Codex to write to a command by `write_stdin 'exit'` in `/w` without a sandbox?",
      cwd: "/w",
      sandbox: "none",
    },
    answers: decisions,
  },
  {
    what: "a command that wants more than its sandbox",
    ask: "item/commandExecution/requestApproval",
    params: {
      itemId: "i",
      command: "ls",
      cwd: "/w",
      additionalPermissions: { network: { enabled: true }, fileSystem: { write: ["/opt"] } },
      availableDecisions: ["accept", "cancel"],
    },
    request: {
      kind: "permission",
      message: "Allow Codex to run `ls` in `/w`, and to use the network and to write `/opt`?",
      command: "ls",
      cwd: "/w",
      paths: ["/opt"],
      input: { network: { enabled: true }, fileSystem: { write: ["/opt"] } },
    },
    answers: decisions,
  },
  {
    what: "a place that has a name and no path",
    ask: "item/permissions/requestApproval",
    params: { itemId: "i", cwd: "/w", permissions: root },
    request: { kind: "permission", message: 'Allow Codex to write `{"kind":"root"}`?', cwd: "/w", input: root },
    answers: [
      { permissions: root, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
  },
  {
    what: "files to read, and a pattern of files",
    ask: "item/permissions/requestApproval",
    params: { itemId: "i", permissions: pattern },
    request: { kind: "permission", message: "Allow Codex to read `/etc/hosts`, `/**/key`?", input: pattern },
    answers: [
      { permissions: pattern, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
  },
  {
    what: "the network alone, which is about no files",
    ask: "item/permissions/requestApproval",
    params: { itemId: "i", permissions: { network: { enabled: true }, fileSystem: null } },
    request: {
      kind: "permission",
      message: "Allow Codex to use the network?",
      paths: [],
      input: { network: { enabled: true }, fileSystem: null },
    },
    answers: [
      { permissions: { network: { enabled: true } }, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
  },
  {
    what: "a permission that is not known yet",
    ask: "item/permissions/requestApproval",
    params: { itemId: "i", permissions: { camera: true } },
    request: { kind: "permission", message: "Allow Codex more than it has?", input: { camera: true } },
    answers: [
      { permissions: { camera: true }, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
  },
  {
    what: "a tool of an MCP server that names files",
    ask: "mcpServer/elicitation/request",
    params: {
      serverName: "files",
      _meta: {
        codex_approval_kind: "mcp_tool_call",
        tool_name: "move",
        tool_params: { source: "/a", to: 1, path: "b" },
      },
    },
    request: {
      kind: "tool",
      message: "Allow Codex to use files.move?",
      tool: "files.move",
      input: { source: "/a", to: 1, path: "b" },
      paths: ["/a", "b"],
    },
    answers: [
      { action: "accept", content: {}, _meta: null },
      { action: "decline", content: null, _meta: null },
    ],
  },
  {
    what: "a tool of an MCP server",
    ask: "mcpServer/elicitation/request",
    params: {
      serverName: "mail",
      mode: "form",
      message: "Allow the mail MCP server to run tool send?",
      requestedSchema: {},
      _meta: { codex_approval_kind: "mcp_tool_call", tool_name: "send", tool_params: { to: "you" } },
    },
    request: {
      kind: "tool",
      message: "Allow the mail MCP server to run tool send?",
      tool: "mail.send",
      input: { to: "you" },
    },
    answers: [
      { action: "accept", content: {}, _meta: null },
      { action: "decline", content: null, _meta: null },
    ],
  },
  {
    what: "files that it moves",
    ask: "item/fileChange/requestApproval",
    params: { itemId: "move", reason: null, grantRoot: null },
    request: { kind: "file-change", message: "Allow Codex to change `/w/a`, `/home/b`?", paths: ["/w/a", "/home/b"] },
    answers: decisions,
  },
  {
    what: "files that it does not name, below a directory",
    ask: "item/fileChange/requestApproval",
    params: { itemId: "nobody knows", reason: null, grantRoot: "/w" },
    request: { kind: "file-change", message: "Allow Codex to change files, and to write below `/w`?" },
    answers: decisions,
  },
  {
    what: "files that an older Codex moves",
    ask: "applyPatchApproval",
    params: { callId: "i", fileChanges: { "/a": { update: { unified_diff: "", move_path: "/home/b" } } } },
    request: { kind: "file-change", message: "Allow Codex to change `/a`, `/home/b`?", paths: ["/a", "/home/b"] },
    answers: reviews,
  },
  {
    what: "a command of an older Codex that is its arguments",
    ask: "execCommandApproval",
    params: { callId: "i", command: ["git", "status; rm -rf ."], cwd: "/w" },
    request: {
      kind: "command",
      message: "Allow Codex to run `git 'status; rm -rf .'` in `/w` without a sandbox?",
      command: "git 'status; rm -rf .'",
      cwd: "/w",
      sandbox: "none",
    },
    answers: reviews,
  },
  {
    what: "files",
    ask: "item/fileChange/requestApproval",
    params: { itemId: "change", reason: null, grantRoot: null },
    request: { kind: "file-change", message: "Allow Codex to change `/a`, `/b`?", paths: ["/a", "/b"] },
    answers: decisions,
  },
  {
    what: "more permissions",
    ask: "item/permissions/requestApproval",
    params: { itemId: "i", cwd: "/w", reason: "net", permissions: { ...permissions, more: null } },
    request: {
      kind: "permission",
      message: "Allow Codex to use the network and to read `/e` and to write `/d`?",
      cwd: "/w",
      paths: ["/e", "/d"],
      input: { ...permissions, more: null },
      reason: "net",
    },
    answers: [
      { permissions, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
  },
  {
    what: "a command of an older Codex",
    ask: "execCommandApproval",
    params: { callId: "i", command: ["/bin/bash", "-lc", "make all"], cwd: "/w", reason: null },
    request: {
      kind: "command",
      message: "Allow Codex to run `make all` in `/w` without a sandbox?",
      command: "make all",
      cwd: "/w",
      sandbox: "none",
    },
    answers: reviews,
  },
  {
    what: "files of an older Codex",
    ask: "applyPatchApproval",
    params: { callId: "i", fileChanges: { "/a": { type: "delete", content: "" } }, reason: "Clean.", grantRoot: "/r" },
    request: {
      kind: "file-change",
      message: "Allow Codex to change `/a`, and to write below `/r`?",
      paths: ["/a", "/r"],
      reason: "Clean.",
    },
    answers: reviews,
  },
]

const move = {
  type: "fileChange",
  id: "move",
  changes: [{ path: "/w/a", kind: { type: "update", move_path: "/home/b" }, diff: "" }],
}
const change = { type: "fileChange", id: "change", changes: [{ path: "/a" }, { path: "/b" }] }

describe("what Codex asks (issue: the agent always gets an answer)", () => {
  test.live.each(cases)(
    "about $what is asked truthfully, and answered as it was decided",
    function* ({ answers, ask, params, request }) {
      const { agent } = yield* codex()
      const { start, turn } = yield* agent.attach
      const threadId = yield* start({})
      const old = { ...params, conversationId: threadId, threadId: null }
      const steps = [
        { event: "item/started", params: { item: change } },
        { event: "item/started", params: { item: move } },
        { ask, params: ask.includes("/") ? params : old },
      ]
      for (const [index, decision] of [approve, decline].entries()) {
        const ear = listener(() => Effect.succeed(decision))
        const { content } = yield* turn(threadId, script(steps), ear)
        assert.deepStrictEqual(ear.asked, [request])
        assert.deepStrictEqual(JSON.parse(content), answers[index])
      }
    },
  )

  test.live("is declined when who decides fails", function* () {
    const { agent } = yield* codex()
    const { start, turn } = yield* agent.attach
    const threadId = yield* start({})
    const steps = [{ ask: "item/commandExecution/requestApproval", params: { command: "x" } }]
    const throwing = () => {
      throw new Error("a defect")
    }
    for (const decide of [() => Effect.die("a defect"), throwing, () => Effect.interrupt]) {
      const { content } = yield* turn(threadId, script(steps), listener(decide))
      assert.deepStrictEqual(JSON.parse(content), { decision: "decline" })
    }
  })

  test.live(
    "is answered also when nobody decides and the turn is interrupted; who decides is interrupted too",
    function* () {
      const { agent, heard } = yield* codex()
      const { start, turn } = yield* agent.attach
      const threadId = yield* start({})
      let isInterrupted = false
      const ear = listener(() =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.sync(() => {
            isInterrupted = true
          }),
        ),
      )
      const steps = [{ askUnheard: "item/commandExecution/requestApproval", params: { command: "x" } }, { hang: true }]
      const fiber = yield* Effect.forkChild(turn(threadId, script(steps), ear))
      yield* ear.until(() => ear.asked.length === 1)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(isInterrupted)
      // What the fake has heard by the end of the next turn, it has heard in order.
      yield* turn(threadId, script([]), listener())
      const answer = heard().find(({ id, method }) => id === "ask-1" && method === undefined)
      assert.deepStrictEqual(answer?.result, { decision: "decline" })
    },
  )

  test.live("and is no question for a person has an answer too", function* () {
    const { agent } = yield* codex()
    const { start, turn } = yield* agent.attach
    const threadId = yield* start({})
    const ear = listener()
    const answers = yield* Effect.forEach(
      ["item/tool/requestUserInput", "mcpServer/elicitation/request", "item/tool/call", "toString"],
      (ask) => Effect.map(turn(threadId, script([{ ask }]), ear), ({ content }) => JSON.parse(content)),
    )
    assert.deepStrictEqual(answers, [
      { answers: {} },
      { action: "decline", content: null, _meta: null },
      { code: -32601, message: "Zain does not know item/tool/call." },
      { code: -32601, message: "Zain does not know toString." },
    ])
    assert.deepStrictEqual(ear.asked, [])
  })

  test.live(
    "of a thread without a turn is declined; of a sub-agent, it is asked in the turn that has it",
    function* () {
      const { agent } = yield* codex()
      const { start, turn } = yield* agent.attach
      const threadId = yield* start({})
      const ask = { ask: "item/commandExecution/requestApproval", params: { threadId: "other", command: "x" } }
      const stranger = listener()
      const alone = yield* turn(threadId, script([ask]), stranger)
      assert.deepStrictEqual(JSON.parse(alone.content), { decision: "decline" })
      assert.deepStrictEqual(stranger.asked, [])
      const parent = listener()
      const own = { event: "turn/started", params: { turn: { id: "root", rootTurnId: "root" } } }
      const sub = { event: "turn/started", params: { threadId: "other", turn: { id: "sub", rootTurnId: "root" } } }
      const asked = yield* turn(threadId, script([own, sub, ask]), parent)
      assert.deepStrictEqual(JSON.parse(asked.content), { decision: "accept" })
      assert.strictEqual(parent.asked.length, 1)
    },
  )
})
