/** What Claude Code asks before it acts, and what it hears. It always hears something. */
import { assert, describe, it } from "@effect/vitest"
import type { McpApprovalReply } from "@zain/core/McpApproval"
import * as Effect from "effect/Effect"
import * as ClaudeCode from "./ClaudeCode.ts"

const approve: McpApprovalReply = { _tag: "Approve" }
const decline: McpApprovalReply = { _tag: "Decline", reason: "not today" }

/** Asks, decides, and says what the agent heard and what was asked. */
const ask = (prompt: string, decide: Effect.Effect<McpApprovalReply>) =>
  Effect.gen(function* () {
    const { home, start, turn } = yield* ClaudeCode.client()
    const listener = ClaudeCode.recorder(() => decide)
    const { content } = yield* turn(yield* start({ cwd: home }), prompt, listener)
    return { home, told: JSON.parse(content), asked: listener.asked }
  })

/** What every question about a command of these threads says: their agent has no sandbox. */
const unboxed = { sandbox: "none" } as const

const bash = 'ask Bash {"command":"rm x","description":"Tidies up"}'

describe("an approval of Claude Code", () => {
  it.live("to run a command says which, where and why", () =>
    Effect.gen(function* () {
      const { asked, home, told } = yield* ask(bash, Effect.succeed(approve))
      const message = "Claude Code wants to run `rm x`"
      const reason = "Tidies up"
      assert.deepStrictEqual(asked, [{ kind: "command", message, command: "rm x", cwd: home, reason, ...unboxed }])
      assert.deepStrictEqual(told.response, {
        behavior: "allow",
        updatedInput: { command: "rm x", description: "Tidies up" },
      })
    }),
  )

  it.live("to run a command says how it is run, and more than its tool takes to understand it", () =>
    Effect.gen(function* () {
      const input = { command: "rm x", run_in_background: true, timeout: 9 }
      const { asked, home } = yield* ask(`ask Bash ${JSON.stringify(input)}`, Effect.succeed(decline))
      const message = "Claude Code wants to run `rm x` in the background"
      const rest = { run_in_background: true, timeout: 9 }
      assert.deepStrictEqual(asked, [{ kind: "command", message, command: "rm x", cwd: home, input: rest, ...unboxed }])
    }),
  )

  it.live.each([true, "true", 1])(
    "to leave the sandbox (%j) is no plain command: no rule for commands allows it",
    (isOut) =>
      Effect.gen(function* () {
        const input = { command: "rm x", dangerouslyDisableSandbox: isOut, description: "Tidies up" }
        const { asked, home, told } = yield* ask(`ask Bash ${JSON.stringify(input)}`, Effect.succeed(approve))
        assert.deepStrictEqual(asked, [
          {
            kind: "permission",
            message: "Claude Code wants to run `rm x` outside the sandbox",
            command: "rm x",
            cwd: home,
            input: { dangerouslyDisableSandbox: isOut },
            reason: "Tidies up",
            ...unboxed,
          },
        ])
        assert.deepStrictEqual(told.response.updatedInput, input)
      }),
  )

  const sandboxes = [
    [{ sandbox: { enabled: true } }, { command: "rm x" }, undefined],
    [{ sandbox: { enabled: true } }, { command: "rm x", dangerouslyDisableSandbox: true }, "none"],
    [{ sandbox: { enabled: false } }, { command: "rm x" }, "none"],
  ] as const
  it.live.each(sandboxes)("to run a command says that there is no sandbox only where that is known: %j, %j", (given) =>
    Effect.gen(function* () {
      const [config, input, sandbox] = given
      const { start, turn } = yield* ClaudeCode.client()
      const listener = ClaudeCode.recorder(() => Effect.succeed(decline))
      yield* turn(yield* start({ config }), `ask Bash ${JSON.stringify(input)}`, listener)
      assert.strictEqual(listener.asked[0]?.sandbox, sandbox)
    }),
  )

  it.live.each(["PowerShell", "Monitor"])(
    "to use %s is about the tool, and says its command, which rules that approve commands do not match",
    (tool) =>
      Effect.gen(function* () {
        const input = { command: "Remove-Item -Recurse C:/", description: "List files" }
        const { asked, home } = yield* ask(`ask ${tool} ${JSON.stringify(input)}`, Effect.succeed(approve))
        const message = `Claude Code wants to use ${tool} ${input.command}`
        assert.deepStrictEqual(asked, [
          { kind: "tool", message, tool, command: input.command, input, cwd: home, ...unboxed },
        ])
      }),
  )

  it.live("of another server's tool that takes a command is about the tool, and says the command", () =>
    Effect.gen(function* () {
      const input = { description: "List files", host: "production", command: "rm -rf /" }
      const { asked, home } = yield* ask(`ask mcp__ssh__run ${JSON.stringify(input)}`, Effect.succeed(approve))
      const message = "Claude Code wants to use mcp__ssh__run rm -rf /"
      assert.deepStrictEqual(asked, [{ kind: "tool", message, tool: "mcp__ssh__run", input, cwd: home }])
    }),
  )

  it.live.each([
    { tool: "Write", input: { file_path: "/a/b", content: "x" }, path: "/a/b" },
    { tool: "Edit", input: { file_path: "/a/c", old_string: "x", new_string: "y" }, path: "/a/c" },
    { tool: "NotebookEdit", input: { notebook_path: "/a/d", new_source: "y" }, path: "/a/d" },
  ])("of $tool says which file", ({ input, path, tool }) =>
    Effect.gen(function* () {
      const { asked, home, told } = yield* ask(`ask ${tool} ${JSON.stringify(input)}`, Effect.succeed(decline))
      const message = `Claude Code wants to write \`${path}\``
      assert.deepStrictEqual(asked, [{ kind: "file-change", message, tool, paths: [path], cwd: home }])
      assert.deepStrictEqual(told.response, { behavior: "deny", message: "not today" })
    }),
  )

  it.live("of any other tool says what it gets", () =>
    Effect.gen(function* () {
      const input = { url: "http://127.0.0.1/" }
      const { asked, home } = yield* ask(`ask WebFetch ${JSON.stringify(input)}`, Effect.succeed(approve))
      const message = "Claude Code wants to use WebFetch http://127.0.0.1/"
      assert.deepStrictEqual(asked, [{ kind: "tool", message, tool: "WebFetch", input, cwd: home }])
    }),
  )

  const naming = [
    ["Read", { file_path: "/a/b" }, () => ["/a/b"]],
    ["NotebookRead", { notebook_path: "/a/c" }, () => ["/a/c"]],
    ["Grep", { pattern: "x" }, (home: string) => [home]],
    ["Grep", { pattern: "x", path: "src" }, () => ["src"]],
    ["Glob", { pattern: "**/*.ts" }, (home: string) => [home]],
    ["Glob", { pattern: "/srv/se*" }, () => ["/srv"]],
    ["Glob", { pattern: "../../etc/{a,b}", path: "/srv/a/b" }, () => ["/srv/etc"]],
    ["LS", {}, (home: string) => [home]],
    ["mcp__files__read", { arguments: { uri: "file:///a/d" } }, () => ["/a/d"]],
  ] as const
  it.live.each(naming)("of a tool says which files it names: %s %j", ([tool, input, paths]) =>
    Effect.gen(function* () {
      const { asked, home } = yield* ask(`ask ${tool} ${JSON.stringify(input)}`, Effect.succeed(decline))
      assert.strictEqual(asked[0]?.kind, "tool")
      assert.deepStrictEqual(asked[0]?.paths, paths(home))
      assert.strictEqual(asked[0]?.cwd, home)
    }),
  )

  it.live.each(["Write", "Read"])("of %s says where a link leads, as far as the agent does", (tool) =>
    Effect.gen(function* () {
      const input = { file_path: "/a/link", blocked: "/b/secret" }
      const { asked } = yield* ask(`ask ${tool} ${JSON.stringify(input)}`, Effect.succeed(decline))
      assert.deepStrictEqual(asked[0]?.paths, ["/a/link", "/b/secret"])
    }),
  )

  it.live.each([bash, 'ask Write {"file_path":"/a"}'])(
    "is an answer to this question and to no other, whatever the agent suggests: %s",
    (prompt) =>
      Effect.gen(function* () {
        const { told } = yield* ask(prompt, Effect.succeed(approve))
        assert.strictEqual(told.response.behavior, "allow")
        assert.notProperty(told.response, "updatedPermissions")
      }),
  )

  it.live("that nobody could decide is declined", () =>
    Effect.gen(function* () {
      const { told } = yield* ask(bash, Effect.die("a bug"))
      assert.strictEqual(told.response.behavior, "deny")
      assert.notInclude(JSON.stringify(told), "a bug")
    }),
  )

  it.live("is asked of nobody when it is a question that needs more than yes or no", () =>
    Effect.gen(function* () {
      const { asked, told } = yield* ask('ask AskUserQuestion {"questions":[]}', Effect.succeed(approve))
      assert.lengthOf(asked, 0)
      assert.strictEqual(told.response.behavior, "deny")
    }),
  )

  it.live("is over for the one who is asked when the agent takes it back", () =>
    Effect.gen(function* () {
      let isOver = false
      const decide = Effect.onInterrupt(Effect.never, () =>
        Effect.sync(() => {
          isOver = true
        }),
      )
      const { start, turn } = yield* ClaudeCode.client()
      const { content } = yield* turn(
        yield* start({}),
        "withdraw",
        ClaudeCode.recorder(() => decide),
      )
      assert.deepStrictEqual({ content, isOver }, { content: "withdrawn", isOver: true })
    }),
  )

  it.live("is not what other requests of the agent get, but they get an answer too", () =>
    Effect.gen(function* () {
      const { told } = yield* ask("control", Effect.succeed(approve))
      assert.strictEqual(told.subtype, "error")
    }),
  )
})
