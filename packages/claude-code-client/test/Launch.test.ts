import { existsSync, readdirSync, statSync } from "node:fs"
import { assert, describe, it, vi } from "@effect/vitest"
import { ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { ConnectionUnavailable } from "@zain/core/McpError"
import { test } from "@zain/testkit/Test"
import { Effect, Result } from "effect"
import { settingsOf } from "./OwnWire.ts"
import { client, session } from "./Session.ts"

const { native } = ClaudeCodeTransportFactory

describe("the process of Claude Code's own MCP server (docs/concepts/sessions.md#profiles; seed 3.1)", () => {
  it("is `claude mcp serve` over stdio, without the settings of its directory", () => {
    const config = native({ options: { model: "sonnet" }, idleTimeout: "1 minute" })
    assert.strictEqual(config.serverUrl, "stdio:claude?arg=--setting-sources%3Duser&arg=mcp&arg=serve")
    assert.deepStrictEqual(config.providerOptions, { model: "sonnet" })
    assert.isTrue(Result.isSuccess(McpConnectionConfig.parse(config)))
    assert.match(native({ command: "/opt/claude" }).serverUrl, /^stdio:\/opt\/claude\?/)
  })

  test("has settings with the hooks, on even if the user turned hooks off, and with no text of the caller", function* () {
    const { adapter, wire } = yield* client({ model: "haiku" })
    yield* adapter.openSession(native())
    const settings = settingsOf(wire.target())
    assert.deepStrictEqual(Object.keys(settings).sort(), ["autoMemoryDirectory", "disableAllHooks", "hooks"])
    assert.isFalse(settings.disableAllHooks)
    assert.deepStrictEqual(Object.keys(settings.hooks).sort(), ["SubagentStart", "SubagentStop"])
  })

  test("has the model in its environment; the session's overrides the adapter's", function* () {
    const { adapter, wire } = yield* client({ model: "haiku", cwd: "/srv/adapter" })
    yield* adapter.openSession(native())
    assert.strictEqual(wire.target().env["ANTHROPIC_MODEL"], "haiku")
    assert.strictEqual(wire.target().cwd, "/srv/adapter")
    yield* adapter.openSession(native({ options: { model: 'so"nnet' } }))
    assert.strictEqual(wire.target().env["ANTHROPIC_MODEL"], 'so"nnet')
    assert.strictEqual(wire.target().cwd, "/srv/adapter")
  })

  test("has unchanged arguments for a command of another kind", function* () {
    const { adapter, wire } = yield* client()
    yield* adapter.openSession(McpConnectionConfig.stdio({ command: "wrapper", args: ["--verbose"] }))
    assert.deepStrictEqual(wire.target().args, ["--verbose"])
  })

  test("has the allow-list, the caller's variables, and the hooks' directory as its environment", function* () {
    vi.stubEnv("CLAUDE_CONFIG_DIR", "/config")
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-key")
    vi.stubEnv("BUN_OPTIONS", "--preload /nonexistent")
    vi.stubEnv("OPENAI_API_KEY", "not for Claude Code")
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
    const { adapter, wire } = yield* client()
    yield* adapter.openSession(native({ env: { NAMED: "by the caller" } }))
    const { env } = wire.target()
    assert.deepInclude(env, { CLAUDE_CONFIG_DIR: "/config", ANTHROPIC_API_KEY: "sk-key", NAMED: "by the caller" })
    for (const name of ["BUN_OPTIONS", "OPENAI_API_KEY", "VITEST"]) assert.notProperty(env, name)
    assert.isTrue(existsSync(wire.directory()))
  })
})

describe("the private directory of a session (rule-2.failed-open; rule-3.released)", () => {
  test("is readable by its user only, differs per session, and is removed with its files after close", function* () {
    const { adapter, close, wire } = yield* session()
    const one = wire.directory()
    assert.strictEqual(statSync(one).mode & 0o777, 0o700)
    wire.stopped("agent-9", "a reply without a reader")
    assert.strictEqual(readdirSync(one).length, 1)
    yield* adapter.openSession(native())
    const two = wire.directory()
    assert.notStrictEqual(one, two)
    yield* close
    assert.isFalse(existsSync(one))
    assert.isTrue(existsSync(two))
  })

  test("is empty between turns", function* () {
    const { first, later, wire } = yield* session()
    wire.started("agent-1")
    yield* first
    assert.deepStrictEqual(readdirSync(wire.directory()), [])
    yield* later("again", "secret reply")
    assert.deepStrictEqual(readdirSync(wire.directory()), [])
  })

  test("is removed after a failed open", function* () {
    const refuse = new ConnectionUnavailable({ reason: "spawn-failed", message: "No.", delivery: "not-sent" })
    const { adapter, wire } = yield* client({}, refuse)
    const error = yield* Effect.flip(adapter.openSession(native()))
    assert.strictEqual(error.reason, "spawn-failed")
    assert.isFalse(existsSync(wire.directory()))
  })
})
