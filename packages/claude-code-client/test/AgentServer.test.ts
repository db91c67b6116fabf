/** Claude Code behind the agent server: the adapter's default. */
import { assert, describe } from "@effect/vitest"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
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

describe("Claude Code behind the agent server (docs/concepts/sessions.md#provider-options)", () => {
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
