/** What Claude Code asks before it acts, and what it hears. It always hears something. */
import { assert, describe, it } from "@effect/vitest"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import { undecided } from "../../../agent-server/test/TurnRecorder.ts"
import { test } from "../../../core/test/Test.ts"
import * as ClaudeCodeApproval from "../../src/server/ClaudeCodeApproval.ts"
import * as ClaudeCode from "./ClaudeCode.ts"

const approve: McpApprovalReply = { _tag: "Approve" }
const decline: McpApprovalReply = { _tag: "Decline", reason: "not today" }

/** Asks, decides, and says what the agent heard and what was asked. */
const ask = Effect.fnUntraced(function* (prompt: string, decide: Effect.Effect<McpApprovalReply>) {
  const { home, start, turn } = yield* ClaudeCode.client()
  const listener = ClaudeCode.recorder(() => decide)
  const { content } = yield* turn(yield* start({ cwd: home }), prompt, listener)
  return { home, told: JSON.parse(content), asked: listener.asked }
})

const bash = 'ask Bash {"command":"rm x","description":"Tidies up"}'
const cwd = "/srv/project"
const write = (path: string) => ({
  kind: "file-change",
  message: `Claude Code wants to write \`${path}\``,
  paths: [path],
})
const isOutside = (value: unknown) => ({ command: "rm x", dangerouslyDisableSandbox: value, description: "Tidies up" })
const outside = (value: unknown) => ({
  kind: "permission",
  message: "Claude Code wants to run `rm x` outside the sandbox",
  command: "rm x",
  input: { dangerouslyDisableSandbox: value },
  reason: "Tidies up",
  sandbox: "none",
})
const shell = { command: "Remove-Item -Recurse C:/", description: "List files" }
const shellTool = { command: shell.command, input: shell, sandbox: "none" }
const remote = { description: "List files", host: "production", command: "rm -rf /" }
const web = { url: "http://127.0.0.1/" }

/** What a use of a tool asks for, without the directory, which each request names. */
const requests: ReadonlyArray<readonly [what: string, tool: string, input: object, request: object]> = [
  [
    "a command says which and why",
    "Bash",
    { command: "rm x", description: "Tidies up" },
    {
      kind: "command",
      message: "Claude Code wants to run `rm x`",
      command: "rm x",
      reason: "Tidies up",
      sandbox: "none",
    },
  ],
  [
    "a command says how it is run, and more than its tool takes to understand it",
    "Bash",
    { command: "rm x", run_in_background: true, timeout: 9 },
    {
      kind: "command",
      message: "Claude Code wants to run `rm x` in the background",
      command: "rm x",
      input: { run_in_background: true, timeout: 9 },
      sandbox: "none",
    },
  ],
  ...[true, "true", 1].map(
    (value) => ["to leave the sandbox is no plain command", "Bash", isOutside(value), outside(value)] as const,
  ),
  ...["PowerShell", "Monitor"].map((tool) => {
    const message = `Claude Code wants to use ${tool} ${shell.command}`
    const what = "another shell is about the tool, and says its command, which rules for commands do not match"
    return [what, tool, shell, { kind: "tool", message, tool, ...shellTool }] as const
  }),
  [
    "another server's tool that takes a command is about the tool",
    "mcp__ssh__run",
    remote,
    { kind: "tool", message: "Claude Code wants to use mcp__ssh__run rm -rf /", tool: "mcp__ssh__run", input: remote },
  ],
  ["a file that is written", "Write", { file_path: "/a/b", content: "x" }, { ...write("/a/b"), tool: "Write" }],
  [
    "a file that is edited",
    "Edit",
    { file_path: "/a/c", old_string: "x", new_string: "y" },
    { ...write("/a/c"), tool: "Edit" },
  ],
  [
    "a notebook that is edited",
    "NotebookEdit",
    { notebook_path: "/a/d", new_source: "y" },
    { ...write("/a/d"), tool: "NotebookEdit" },
  ],
  [
    "any other tool says what it gets",
    "WebFetch",
    web,
    { kind: "tool", message: "Claude Code wants to use WebFetch http://127.0.0.1/", tool: "WebFetch", input: web },
  ],
]

/** The files that a use of a tool names. */
const naming: ReadonlyArray<readonly [tool: string, input: object, paths: ReadonlyArray<string>, blocked?: string]> = [
  ["Read", { file_path: "/a/b" }, ["/a/b"]],
  ["NotebookRead", { notebook_path: "/a/c" }, ["/a/c"]],
  ["Grep", { pattern: "x" }, [cwd]],
  ["Grep", { pattern: "x", path: "src" }, ["src"]],
  ["Glob", { pattern: "**/*.ts" }, [cwd]],
  ["Glob", { pattern: "/srv/se*" }, ["/srv"]],
  ["Glob", { pattern: "../../etc/{a,b}", path: "/srv/a/b" }, ["/srv/etc"]],
  ["LS", {}, [cwd]],
  ["mcp__files__read", { arguments: { uri: "file:///a/d" } }, ["/a/d"]],
  // Where a link leads, as far as the agent says.
  ["Write", { file_path: "/a/link" }, ["/a/link", "/b/secret"], "/b/secret"],
  ["Read", { file_path: "/a/link" }, ["/a/link", "/b/secret"], "/b/secret"],
]

describe("a request of Claude Code", () => {
  const read = (tool_name: string, input: object, more: object = {}) =>
    ClaudeCodeApproval.read({ tool_name, input, ...more }, { cwd, mayBeSandboxed: false }).request

  it.each(requests)("for %s: %s %j", (_, tool, input, request) =>
    assert.deepStrictEqual<object>(read(tool, input), { ...request, cwd }),
  )

  it.each(naming.map((row) => ({ row })))("names its files: $row", ({ row: [tool, input, paths, blocked] }) => {
    assert.deepStrictEqual(read(tool, input, { blocked_path: blocked }).paths, paths)
  })
})

describe("an approval of Claude Code", () => {
  test.live("gives the tool its own input back, and the policy the directory of its thread", function* () {
    const { asked, home, told } = yield* ask(bash, Effect.succeed(approve))
    assert.deepInclude(asked[0], { kind: "command", command: "rm x", cwd: home })
    const updatedInput = { command: "rm x", description: "Tidies up" }
    assert.deepStrictEqual(told.response, { behavior: "allow", updatedInput })
  })

  test.live("that is declined tells the agent why", function* () {
    const { told } = yield* ask('ask Write {"file_path":"/a"}', Effect.succeed(decline))
    assert.deepStrictEqual(told.response, { behavior: "deny", message: "not today" })
  })

  const sandboxes = [
    [{ sandbox: { enabled: true } }, { command: "rm x" }, undefined],
    [{ sandbox: { enabled: true } }, { command: "rm x", dangerouslyDisableSandbox: true }, "none"],
    [{ sandbox: { enabled: false } }, { command: "rm x" }, "none"],
  ] as const
  test.live.each(sandboxes)(
    "to run a command says that there is no sandbox only where that is known: %j, %j",
    function* (given) {
      const [settings, input, sandbox] = given
      const { threadId, turn } = yield* ClaudeCode.thread({}, { settings })
      const listener = ClaudeCode.recorder(() => Effect.succeed(decline))
      yield* turn(threadId, `ask Bash ${JSON.stringify(input)}`, listener)
      assert.strictEqual(listener.asked[0]?.sandbox, sandbox)
    },
  )

  test.live("that nobody could decide is declined", function* () {
    const { told } = yield* ask(bash, Effect.die("a bug"))
    assert.strictEqual(told.response.behavior, "deny")
    assert.notInclude(JSON.stringify(told), "a bug")
  })

  test.live("is asked of nobody when it is a question that needs more than yes or no", function* () {
    const { asked, told } = yield* ask('ask AskUserQuestion {"questions":[]}', Effect.succeed(approve))
    assert.lengthOf(asked, 0)
    assert.strictEqual(told.response.behavior, "deny")
  })

  test.live("is over for the one who is asked when the agent takes it back", function* () {
    const { decide, isWithdrawn } = undecided()
    const { threadId, turn } = yield* ClaudeCode.thread()
    const { content } = yield* turn(threadId, "withdraw", ClaudeCode.recorder(decide))
    assert.deepStrictEqual([content, isWithdrawn()], ["withdrawn", true])
  })

  test.live("is not what other requests of the agent get, but they get an answer too", function* () {
    const { told } = yield* ask("control", Effect.succeed(approve))
    assert.strictEqual(told.subtype, "error")
  })
})
