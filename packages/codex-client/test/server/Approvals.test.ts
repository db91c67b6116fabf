import { assert, describe } from "@effect/vitest"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { undecided } from "../../../agent-server/testing/TurnRecorder.ts"
import { item, listener, script, subAgent, thread } from "../../testing/server/Codex.ts"

const approve: McpApprovalReply = { _tag: "Approve" }
const decline: McpApprovalReply = { _tag: "Decline", reason: "too risky" }

interface Case {
  readonly what: string
  readonly ask: string
  readonly params: object
  readonly request: object
  /** The responses to Codex: approved, approved for the session, and declined. */
  readonly answers: readonly [unknown, unknown]
}

/** Requests of one method. `kind`: the kind of each */
const asking =
  (ask: string, answers: (params: object) => Case["answers"], kind: object) =>
  (what: string, params: object, request: object): Case => ({
    ...{ what, ask, params: { itemId: "i", callId: "i", ...params } },
    ...{ request: { ...kind, ...request }, answers: answers(params) },
  })

const decisions = () => [{ decision: "accept" }, { decision: "decline" }] as const
const reviews = () => [{ decision: "approved" }, { decision: { denied: { rejection: "too risky" } } }] as const
const unsandboxed = { kind: "command", cwd: "/w", sandbox: "none" }
const command = asking("item/commandExecution/requestApproval", decisions, unsandboxed)
const widerCommand = asking("item/commandExecution/requestApproval", decisions, { kind: "permission" })
const change = asking("item/fileChange/requestApproval", decisions, { kind: "file-change" })
const oldCommand = asking("execCommandApproval", reviews, unsandboxed)
const oldChange = asking("applyPatchApproval", reviews, { kind: "file-change" })
const tool = asking(
  "mcpServer/elicitation/request",
  () => [
    { action: "accept", content: {}, _meta: null },
    { action: "decline", content: null, _meta: null },
  ],
  { kind: "tool" },
)

/** Additional permissions. `given`: those that are granted. Default: all */
const permissionCase = (what: string, input: object, request: object, more: object = {}, given = input) =>
  asking(
    "item/permissions/requestApproval",
    () => [
      { permissions: given, scope: "turn" },
      { permissions: {}, scope: "turn" },
    ],
    { kind: "permission", input },
  )(what, { permissions: input, ...more }, request)

const commandCase = (what: string, asked: string, shown: string) =>
  command(
    what,
    { kind: "command", command: asked, cwd: "/w", reason: "May I?" },
    { message: `Allow Codex to run \`${shown}\` in \`/w\` without a sandbox?`, command: shown, reason: "May I?" },
  )

const wanted = { network: { enabled: true }, fileSystem: { write: ["/opt"] } }
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
const network = { network: { enabled: true } }
const moved = { source: "/a", to: 1, path: "b" }

const cases: ReadonlyArray<Case> = [
  commandCase("a command", "/bin/bash -lc 'make all'", "make all"),
  commandCase("a command with quotes, as it is", `/bin/bash -lc "echo 'a'"`, "echo 'a'"),
  commandCase("a command with more quotes, as it is", `/bin/bash -lc 'a'"'"'b'`, `/bin/bash -lc 'a'"'"'b'`),
  commandCase("a command with a shell of its own, as it is", "./evil/bash -lc 'ls'", "./evil/bash -lc 'ls'"),
  widerCommand(
    "a host",
    { command: "curl x", networkApprovalContext: { host: "example.org", protocol: "https" } },
    { message: "Allow Codex to reach example.org for `curl x`?", command: "curl x", paths: [] },
  ),
  command(
    "input of a running command",
    { approvalId: "j", kind: "writeStdin", command: "write_stdin 'exit'", cwd: "/w" },
    { message: "Allow Codex to write to a command by `write_stdin 'exit'` in `/w` without a sandbox?" },
  ),
  widerCommand(
    "a command that requests more than its sandbox",
    { command: "ls", cwd: "/w", additionalPermissions: wanted, availableDecisions: ["accept", "cancel"] },
    {
      message: "Allow Codex to run `ls` in `/w`, and to use the network and to write `/opt`?",
      ...{ command: "ls", cwd: "/w", paths: ["/opt"], input: wanted },
    },
  ),
  permissionCase(
    "a named place without a path",
    root,
    { message: 'Allow Codex to write `{"kind":"root"}`?', cwd: "/w" },
    { cwd: "/w" },
  ),
  permissionCase("files to read, and a pattern of files", pattern, {
    message: "Allow Codex to read `/etc/hosts`, `/**/key`?",
  }),
  permissionCase(
    "the network without files",
    { ...network, fileSystem: null },
    { message: "Allow Codex to use the network?", paths: [] },
    {},
    network,
  ),
  permissionCase("an unknown permission", { camera: true }, { message: "Allow Codex more than its sandbox allows?" }),
  permissionCase(
    "more permissions",
    { ...permissions, more: null },
    {
      message: "Allow Codex to use the network and to read `/e` and to write `/d`?",
      ...{ cwd: "/w", paths: ["/e", "/d"], reason: "net" },
    },
    { cwd: "/w", reason: "net" },
    permissions,
  ),
  tool(
    "a tool of an MCP server that names files",
    {
      serverName: "files",
      _meta: { codex_approval_kind: "mcp_tool_call", tool_name: "move", tool_params: moved },
    },
    { message: "Allow Codex to use files.move?", tool: "files.move", input: moved, paths: ["/a", "b"] },
  ),
  tool(
    "a tool of an MCP server",
    {
      ...{ serverName: "mail", mode: "form", message: "Allow the mail MCP server to run tool send?" },
      requestedSchema: {},
      _meta: { codex_approval_kind: "mcp_tool_call", tool_name: "send", tool_params: { to: "you" } },
    },
    { message: "Allow the mail MCP server to run tool send?", tool: "mail.send", input: { to: "you" } },
  ),
  change(
    "files that it moves",
    { itemId: "move", reason: null, grantRoot: null },
    { message: "Allow Codex to change `/w/a`, `/home/b`?", paths: ["/w/a", "/home/b"] },
  ),
  change(
    "unnamed files below a directory",
    { itemId: "unknown", reason: null, grantRoot: "/w" },
    { message: "Allow Codex to change files, and to write below `/w`?" },
  ),
  change(
    "files",
    { itemId: "change", reason: null, grantRoot: null },
    { message: "Allow Codex to change `/a`, `/b`?", paths: ["/a", "/b"] },
  ),
  oldChange(
    "files that an older Codex moves",
    { fileChanges: { "/a": { update: { unified_diff: "", move_path: "/home/b" } } } },
    { message: "Allow Codex to change `/a`, `/home/b`?", paths: ["/a", "/home/b"] },
  ),
  oldChange(
    "files of an older Codex",
    { fileChanges: { "/a": { type: "delete", content: "" } }, reason: "Clean.", grantRoot: "/r" },
    { message: "Allow Codex to change `/a`, and to write below `/r`?", paths: ["/a", "/r"], reason: "Clean." },
  ),
  oldCommand(
    "an argument vector of an older Codex",
    { command: ["git", "status; rm -rf ."], cwd: "/w" },
    {
      message: "Allow Codex to run `git 'status; rm -rf .'` in `/w` without a sandbox?",
      command: "git 'status; rm -rf .'",
    },
  ),
  oldCommand(
    "a command of an older Codex",
    { command: ["/bin/bash", "-lc", "make all"], cwd: "/w", reason: null },
    { message: "Allow Codex to run `make all` in `/w` without a sandbox?", command: "make all" },
  ),
]

const moving = {
  type: "fileChange",
  id: "move",
  changes: [{ path: "/w/a", kind: { type: "update", move_path: "/home/b" }, diff: "" }],
}
const changing = { type: "fileChange", id: "change", changes: [{ path: "/a" }, { path: "/b" }] }

describe("an approval of Codex, which always gets an answer", () => {
  test.live.each(cases)(
    "for $what is requested completely, and answered with the decision",
    function* ({ answers, ask, params, request }) {
      const { threadId, turn } = yield* thread()
      const old = { ...params, conversationId: threadId, threadId: null }
      const steps = [
        item("started", changing),
        item("started", moving),
        { ask, params: ask.includes("/") ? params : old },
      ]
      for (const [index, decision] of [approve, decline].entries()) {
        const ear = listener(() => Effect.succeed(decision))
        const { content } = yield* turn(threadId, { prompt: script(steps) }, ear)
        assert.deepStrictEqual<unknown>(ear.asked, [request])
        assert.deepStrictEqual(JSON.parse(content), answers[index])
      }
    },
  )

  test.live("is declined when the decision fails", function* () {
    const { threadId, turn } = yield* thread()
    const steps = [{ ask: "item/commandExecution/requestApproval", params: { command: "x" } }]
    const throwing = () => {
      throw new Error("a defect")
    }
    for (const decide of [() => Effect.die("a defect"), throwing, () => Effect.interrupt]) {
      const { content } = yield* turn(threadId, { prompt: script(steps) }, listener(decide))
      assert.deepStrictEqual(JSON.parse(content), { decision: "decline" })
    }
  })

  test.live("is declined when the turn is interrupted, which interrupts the decision too", function* () {
    const { heard, says, threadId, turn } = yield* thread()
    const { decide, isWithdrawn } = undecided()
    const ear = listener(decide)
    const steps = [{ askUnheard: "item/commandExecution/requestApproval", params: { command: "x" } }, { hang: true }]
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: script(steps) }, ear))
    yield* ear.until(() => ear.asked.length === 1)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(isWithdrawn())
    // By the end of the next turn, the fake has received the response.
    yield* says([])
    const answer = heard().find(({ id, method }) => id === "ask-1" && method === undefined)
    assert.deepStrictEqual(answer?.result, { decision: "decline" })
  })

  test.live("of questions, and of an MCP server's form, has the answers", function* () {
    const { threadId, turn } = yield* thread()
    const options = [{ label: "Red", description: "Warm." }]
    const asked = { id: "__proto__", header: "Colour", question: "Which?", options, isOther: true, isSecret: true }
    const schema = { type: "object", properties: { size: { type: "integer" } } }
    const form = { serverName: "shop", mode: "form", message: "How many?", requestedSchema: schema, _meta: null }
    const asks = [
      ["item/tool/requestUserInput", { itemId: "i", questions: [asked], isBlocking: true }, { 1: ["Red"] }],
      ["mcpServer/elicitation/request", form, { size: ["3"] }],
      ["mcpServer/elicitation/request", form, { size: ["many"] }],
    ] as const
    const ear = (answers: Readonly<Record<string, ReadonlyArray<string>>>) =>
      listener(() => Effect.succeed({ _tag: "Answer", answers }))
    const received = yield* Effect.forEach(asks, ([ask, params, answers]) => {
      const one = ear(answers)
      return Effect.map(turn(threadId, { prompt: script([{ ask, params }]) }, one), ({ content }) => [
        content,
        one.asked,
      ])
    })
    assert.deepStrictEqual(
      received.map(([content]) => content),
      [
        '{"answers":{"__proto__":{"answers":["Red"]}}}',
        '{"content":{"size":3},"action":"accept","_meta":null}',
        '{"content":null,"action":"decline","_meta":null}',
      ],
    )
    const question = { id: "1", header: "Colour", text: "Which?", options, isSecret: true }
    assert.deepStrictEqual(received[0]?.[1], [
      { kind: "question", message: "Codex asks: Which?", questions: [question] },
    ] as never)
  })

  test.live("has a response also when no client can decide it", function* () {
    const { threadId, turn } = yield* thread()
    const ear = listener()
    const answers = yield* Effect.forEach(
      ["item/tool/requestUserInput", "mcpServer/elicitation/request", "item/tool/call", "toString"],
      (ask) => Effect.map(turn(threadId, { prompt: script([{ ask }]) }, ear), ({ content }) => JSON.parse(content)),
    )
    assert.deepStrictEqual(answers, [
      { answers: {} },
      { action: "decline", content: null, _meta: null },
      { contentItems: [{ type: "inputText", text: "There is no tool." }], success: false },
      { code: -32601, message: "Zain does not support toString." },
    ])
    assert.deepStrictEqual(ear.asked, [])
  })

  test.live(
    "of a thread without a turn is declined; of a sub-agent, it is requested in the turn of its parent",
    function* () {
      const { threadId, turn } = yield* thread()
      const ask = {
        ask: "item/commandExecution/requestApproval",
        params: { threadId: "sub", turnId: "sub-1", command: "x" },
      }
      const stranger = listener()
      const alone = yield* turn(threadId, { prompt: script([ask]) }, stranger)
      assert.deepStrictEqual(JSON.parse(alone.content), { decision: "decline" })
      assert.deepStrictEqual(stranger.asked, [])
      const parent = listener()
      const asked = yield* turn(threadId, { prompt: script([...subAgent, ask]) }, parent)
      assert.deepStrictEqual(JSON.parse(asked.content), { decision: "accept" })
      assert.strictEqual(parent.asked.length, 1)
    },
  )
})
