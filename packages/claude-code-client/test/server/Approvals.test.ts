/** Approvals of Claude Code. Each has a response. */
import { assert, describe, it } from "@effect/vitest"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { undecided } from "../../../agent-server/testing/TurnRecorder.ts"
import * as ClaudeCodeApproval from "../../src/server/ClaudeCodeApproval.ts"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

const approve: McpApprovalReply = { _tag: "Approve" }
const decline: McpApprovalReply = { _tag: "Decline", reason: "not today" }

/** Requests and decides an approval: the request, and the response that the agent receives. */
const ask = Effect.fnUntraced(function* (prompt: string, decide: Effect.Effect<McpApprovalReply>) {
  const { home, start, turn } = yield* ClaudeCode.client()
  const listener = ClaudeCode.recorder(() => decide)
  const { content } = yield* turn(yield* start({ cwd: home }), { prompt }, listener)
  return { response: JSON.parse(content), asked: listener.asked }
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

/** The request of a tool call, without the directory, which each request has. */
const requests: ReadonlyArray<readonly [what: string, tool: string, input: object, request: object]> = [
  [
    "a command has the command and the reason",
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
    "a command has how it runs, and its unknown input",
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
    "an MCP server's tool with a command is of kind tool",
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
    "any other tool has its input",
    "WebFetch",
    web,
    { kind: "tool", message: "Claude Code wants to use WebFetch http://127.0.0.1/", tool: "WebFetch", input: web },
  ],
]

/** The files of a tool call. */
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
  // The target of a link, if the agent reports it.
  ["Write", { file_path: "/a/link" }, ["/a/link", "/b/secret"], "/b/secret"],
  ["Read", { file_path: "/a/link" }, ["/a/link", "/b/secret"], "/b/secret"],
]

describe("a request of Claude Code", () => {
  const read = (tool_name: string, input: object, more: object = {}) =>
    ClaudeCodeApproval.read({ tool_name, input, ...more }, { cwd, mayBeSandboxed: false }).request

  it.each(requests)("where %s: %s %j", (_, tool, input, request) =>
    assert.deepStrictEqual<object>(read(tool, input), { ...request, cwd }),
  )

  it.each(naming.map((row) => ({ row })))(
    "has the paths of its files: $row",
    ({ row: [tool, input, paths, blocked] }) => {
      assert.deepStrictEqual(read(tool, input, { blocked_path: blocked }).paths, paths)
    },
  )
})

describe("an approval of Claude Code", () => {
  const sandboxes = [
    [{ sandbox: { enabled: true } }, { command: "rm x" }, undefined],
    [{ sandbox: { enabled: true } }, { command: "rm x", dangerouslyDisableSandbox: true }, "none"],
    [{ sandbox: { enabled: false } }, { command: "rm x" }, "none"],
  ] as const
  test.live.each(sandboxes)('of a command has `sandbox: "none"` only if that is certain: %j, %j', function* (given) {
    const [settings, input, sandbox] = given
    const { threadId, turn } = yield* ClaudeCode.thread({}, { settings })
    const listener = ClaudeCode.recorder(() => Effect.succeed(decline))
    yield* turn(threadId, { prompt: `ask Bash ${JSON.stringify(input)}` }, listener)
    assert.strictEqual(listener.asked[0]?.sandbox, sandbox)
  })

  test.live("whose decision fails is declined", function* () {
    const { response } = yield* ask(bash, Effect.die("a bug"))
    assert.strictEqual(response.response.behavior, "deny")
    assert.notInclude(JSON.stringify(response), "a bug")
  })

  test.live("of a question that yes or no cannot answer is declined without a request", function* () {
    const { asked, response } = yield* ask('ask AskUserQuestion {"questions":[]}', Effect.succeed(approve))
    assert.lengthOf(asked, 0)
    assert.strictEqual(response.response.behavior, "deny")
  })

  const options = [{ label: "Red" }, { label: "Blue" }]
  const input = { questions: [{ question: "Which?", header: "Colour", options, multiSelect: true }], more: 1 }
  const answer = (...answers: ReadonlyArray<string>) =>
    Effect.succeed<McpApprovalReply>({ _tag: "Answer", answers: { 1: answers } })

  test.live("of questions has the answers by their texts beside the input; without one it is declined", function* () {
    const prompt = `ask AskUserQuestion ${JSON.stringify(input)}`
    const { asked, response } = yield* ask(prompt, answer("Red", "or green"))
    const [question] = asked[0]?.questions ?? []
    assert.deepInclude(question, { header: "Colour", text: "Which?", isMultiple: true })
    const updatedInput = { ...input, answers: { "Which?": "Red, or green" } }
    assert.deepStrictEqual(response.response, { behavior: "allow", updatedInput })
    const declined = yield* ask(prompt, Effect.succeed(decline))
    assert.deepStrictEqual(declined.response.response, { behavior: "deny", message: "not today" })
  })

  test.live("of an MCP server's form is its content, or a decline; a URL is an error", function* () {
    const schema = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] }
    const about = { subtype: "elicitation", mcp_server_name: "shop", message: "How many?", requested_schema: schema }
    const prompt = (more: object = {}) => `control ${JSON.stringify({ ...about, ...more })}`
    const size = Effect.succeed<McpApprovalReply>({ _tag: "Answer", answers: { size: ["3"] } })
    const { asked, response } = yield* ask(prompt({ mode: "form" }), size)
    assert.deepInclude(asked[0], { kind: "question", message: 'The MCP server "shop" asks: How many?' })
    assert.deepStrictEqual(response.response, { action: "accept", content: { size: 3 } })
    for (const decision of [answer("3"), Effect.succeed(decline)]) {
      assert.deepStrictEqual((yield* ask(prompt(), decision)).response.response, { action: "decline" })
    }
    const url = yield* ask(prompt({ mode: "url", url: "https://x.example/" }), size)
    assert.deepStrictEqual([url.response.subtype, url.asked], ["error", []])
  })

  test.live("is interrupted when the agent withdraws it", function* () {
    const { decide, isWithdrawn } = undecided()
    const { threadId, turn } = yield* ClaudeCode.thread()
    const { content } = yield* turn(threadId, { prompt: "withdraw" }, ClaudeCode.recorder(decide))
    assert.deepStrictEqual([content, isWithdrawn()], ["withdrawn", true])
  })

  test.live("is not requested for other requests of the agent, which receive an error", function* () {
    const { response } = yield* ask("control", Effect.succeed(approve))
    assert.strictEqual(response.subtype, "error")
  })
})
