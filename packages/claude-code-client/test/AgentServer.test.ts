/** Claude Code behind the agent server: the adapter's default. */
import { assert, describe, it } from "@effect/vitest"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as StdioUrl from "@zain/core/StdioUrl"
import { Effect, Fiber, Result } from "effect"
import { test } from "../../core/test/Test.ts"
import * as OwnWire from "./OwnWire.ts"
import { invalidConfig } from "./Session.ts"

const client = Effect.fnUntraced(function* (
  options: ClaudeCodeMcpClientAdapter.Options = {},
  name = "zain-claude-code-mcp",
) {
  const wire = yield* OwnWire.make(undefined, name)
  return { wire, adapter: yield* ClaudeCodeMcpClientAdapter.make({ connect: wire.connect, ...options }) }
})

const config = (providerOptions: object = {}) =>
  McpConnectionConfig.streamableHttp({ url: "http://127.0.0.1:1/mcp", providerOptions: { ...providerOptions } })

describe("Claude Code behind the agent server (design §6)", () => {
  test("of another machine is reached with `http()`, with the same options and as its own service", function* () {
    const wire = yield* OwnWire.make(undefined, "zain-claude-code-mcp")
    const { ClaudeCode } = ClaudeCodeMcpClientAdapter
    const options = { cwd: "/srv/project", model: "sonnet" } as const
    const given = ClaudeCodeTransportFactory.http({
      url: "https://agents.example/mcp",
      bearerToken: "sesame",
      options,
    })
    assert.notInclude(JSON.stringify(given), "sesame")
    const open = ClaudeCode.use((claude) => claude.openSession(given))
    yield* Effect.provide(open, ClaudeCode.layer({ connect: wire.connect }))
  })

  test("receives options by the tool's names, and continues its thread", function* () {
    const { adapter, wire } = yield* client({ options: { model: "haiku", effort: "low" } })
    const id = yield* adapter.openSession(
      config({
        model: "sonnet",
        cwd: "/srv",
        permissionMode: "acceptEdits",
        agent: "reviewer",
        allowedTools: ["Bash(git status)"],
        disallowedTools: ["WebFetch"],
        baseInstructions: "base",
        developerInstructions: "developer",
        promptCommands: true,
        trustProject: true,
        settings: { cleanupPeriodDays: 1 },
      }),
    )
    const turn = yield* Effect.forkChild(adapter.execute(id, { content: "go" }), { startImmediately: true })
    const call = yield* wire.next
    assert.strictEqual(call.name, "claude-code")
    assert.deepStrictEqual(call.arguments, {
      prompt: "go",
      model: "sonnet",
      cwd: "/srv",
      effort: "low",
      "permission-mode": "acceptEdits",
      agent: "reviewer",
      "allowed-tools": ["Bash(git status)"],
      "prompt-commands": true,
      "trust-project": true,
      "disallowed-tools": ["WebFetch"],
      "base-instructions": "base",
      "developer-instructions": "developer",
      config: { cleanupPeriodDays: 1 },
    })
    call.answer({
      content: [{ type: "text", text: "done" }],
      structuredContent: { threadId: "one", content: "done" },
    })
    assert.deepInclude(yield* Fiber.join(turn), { content: "done", threadId: "one" })
    yield* Effect.forkChild(adapter.execute(id, { content: "on" }), { startImmediately: true })
    assert.deepInclude(yield* wire.next, {
      name: "claude-code-reply",
      arguments: { threadId: "one", prompt: "on" },
    })
  })

  test.each([
    ["agent-server", { subagentType: "x" }, "subagentType"],
    ["agent-server", { isolation: "worktree" }, "isolation"],
    ["agent-server", { permissionMode: "bypassPermissions" }, "permissionMode"],
    ["agent-server", { allowedTools: "Bash" }, "allowedTools"],
    ["agent-server", { allowedTools: [""] }, "allowedTools.0"],
    ["native", { modle: "x" }, "modle"],
    ["native", { model: "" }, "model"],
    ["native", { effort: "enormous" }, "effort"],
    ["native", { isolation: "remote" }, "isolation"],
    ["native", { threadId: "agent-1" }, "threadId"],
    ["native", { permissionMode: "plan" }, "permissionMode"],
    ["native", { cwd: 7 }, "cwd"],
    ["native", { cwd: "/srv\0" }, "cwd"],
    ["native", { model: "\0" }, "model"],
  ] as const)(
    "with the profile %s, fails with invalid-config for %j, names the path, and starts nothing",
    function* ([profile, options, path]) {
      const { adapter, wire } = yield* client({ profile })
      assert.include(yield* invalidConfig(adapter.openSession(config(options))), `\`${path}\``)
      assert.isUndefined(wire.target())
    },
  )

  test("and Claude Code's own MCP server are each refused by the other's profile, with the server's name", function* () {
    const { adapter, wire } = yield* client()
    yield* invalidConfig(adapter.openSession(ClaudeCodeTransportFactory.native()))
    assert.isUndefined(wire.target())
    const other = yield* client({}, "claude/tengu")
    assert.include(yield* invalidConfig(other.adapter.openSession(config())), 'profile: "native"')
    const native = yield* client({ profile: "native" })
    const refused = native.adapter.openSession(ClaudeCodeTransportFactory.native())
    assert.include(yield* invalidConfig(refused), 'profile: "agent-server"')
  })
})

it("`local()` starts the agent server of this installation with the `claude` on PATH (design §6)", () => {
  const local = ClaudeCodeTransportFactory.local({ options: { model: "sonnet" }, env: { MY_KEY: "secret" } })
  assert.isTrue(Result.isSuccess(McpConnectionConfig.parse(local)))
  const { args = [], command } = StdioUrl.parse(local.serverUrl) ?? {}
  assert.strictEqual(command, process.execPath)
  const at = args.indexOf("shared")
  assert.match(args[at - 1] ?? "", /claude-code-client\/(bin|src\/server)\/zain-claude-code-mcp\.[jt]s$/)
  assert.deepStrictEqual(args.slice(at), ["shared", "--command", "claude", "--env", "MY_KEY"])
  assert.deepStrictEqual(local.providerOptions, { model: "sonnet" })
})
