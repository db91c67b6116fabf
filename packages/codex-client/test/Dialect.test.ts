import { assert, describe, it, vi } from "@effect/vitest"
import { CodexTransportFactory } from "@zain/codex-client"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { Effect, Result } from "effect"
import { test } from "../../core/test/Test.ts"
import { answered } from "./OwnWire.ts"
import { client, config, session } from "./Session.ts"

describe("a prompt to Codex's own MCP server (design §6, codex native)", () => {
  test("starts a thread when it is the first, with every option by the tool's name for it (seed 2.2)", function* () {
    const { turn } = yield* session({
      model: "a-model",
      cwd: "/srv/project",
      sandbox: "workspace-write",
      approvalPolicy: "on-request",
      baseInstructions: "base",
      developerInstructions: "developer",
      compactPrompt: "compact",
      config: { model_reasoning_effort: "high", nested: { list: [1] } },
    })
    const { call } = yield* turn("hello")
    assert.strictEqual(call.name, "codex")
    assert.deepStrictEqual(call.arguments, {
      prompt: "hello",
      model: "a-model",
      cwd: "/srv/project",
      sandbox: "workspace-write",
      "approval-policy": "on-request",
      "base-instructions": "base",
      "developer-instructions": "developer",
      "compact-prompt": "compact",
      config: { model_reasoning_effort: "high", nested: { list: [1] } },
    })
  })

  test("is the only argument without options, because Codex refuses unknown ones", function* () {
    const { turn } = yield* session()
    assert.deepStrictEqual((yield* turn("a")).call.arguments, { prompt: "a" })
  })

  test("has the session's options, each of which overrides the adapter's (design §4, provider options)", function* () {
    const { turn } = yield* session({ model: "adapter", sandbox: "read-only" }, { model: "session" })
    assert.deepStrictEqual((yield* turn("a")).call.arguments, { prompt: "a", model: "session", sandbox: "read-only" })
  })

  test("goes to the thread of Codex's result when it is a later one, without options (design §4, rule 6)", function* () {
    const { turn } = yield* session({ model: "a-model" })
    yield* turn("one", answered("1", "thread-7"))
    for (const prompt of ["two", "three"]) {
      const { call } = yield* turn(prompt, answered("next", "thread-7"))
      assert.deepStrictEqual([call.name, call.arguments], ["codex-reply", { threadId: "thread-7", prompt }])
    }
  })
})

describe("a result of Codex's own MCP server (seed 4.1, 4.3, 4.4)", () => {
  test("has the answer and the thread's id in its structured content", function* () {
    const { id, turn } = yield* session()
    const { answer } = yield* turn("a", {
      structuredContent: { threadId: "thread-7", content: "structured" },
      content: [{ type: "text", text: "text" }],
    })
    assert.deepStrictEqual(answer, {
      provider: "codex",
      sessionId: id,
      content: "structured",
      isError: false,
      threadId: "thread-7",
    })
  })

  test("has the answer in its first text, and no thread, without structured content", function* () {
    const { id, turn } = yield* session()
    const content = [{ type: "image" }, { type: "text", text: "first" }, { type: "text", text: "second" }]
    const { answer } = yield* turn("a", { content })
    assert.deepStrictEqual(answer, { provider: "codex", sessionId: id, content: "first", isError: false })
  })

  test("may have an empty answer", function* () {
    const { turn } = yield* session()
    assert.strictEqual((yield* turn("a", answered(""))).answer.content, "")
  })
})

describe("`CodexTransportFactory` (seed 2.1)", () => {
  it("`native()` starts `codex mcp-server` over stdio, with options and limits", () => {
    const config = CodexTransportFactory.native({
      options: { sandbox: "read-only" },
      cwd: "/srv",
      idleTimeout: "1 minute",
    })
    assert.strictEqual(config.serverUrl, "stdio:codex?arg=mcp-server&cwd=/srv")
    assert.deepStrictEqual(config.providerOptions, { sandbox: "read-only" })
    assert.isTrue(Result.isSuccess(McpConnectionConfig.parse(config)))
    assert.strictEqual(CodexTransportFactory.native().serverUrl, "stdio:codex?arg=mcp-server")
    assert.strictEqual(
      CodexTransportFactory.native({ command: "/opt/codex" }).serverUrl,
      "stdio:/opt/codex?arg=mcp-server",
    )
  })

  test("passes the allow-list and the caller's variables only (design §6)", function* () {
    vi.stubEnv("CODEX_HOME", "/codex-home")
    vi.stubEnv("OPENAI_API_KEY", "sk-key")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "not for Codex")
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
    const { adapter, wire } = yield* client()
    yield* adapter.openSession({ ...config(), env: { MY_PROVIDER_KEY: "named" } })
    const [target] = wire.targets
    const env = target?.transport === "stdio" ? target.env : {}
    assert.deepInclude(env, { CODEX_HOME: "/codex-home", OPENAI_API_KEY: "sk-key", MY_PROVIDER_KEY: "named" })
    assert.notProperty(env, "AWS_SECRET_ACCESS_KEY")
    assert.notProperty(env, "VITEST")
  })
})
