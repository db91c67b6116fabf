import { assert, describe, vi } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { answered } from "./OwnWire.ts"
import { client, config, session } from "./Session.ts"

describe("a prompt to Codex's own MCP server (docs/concepts/sessions.md#profiles)", () => {
  test("has the session's options, each of which overrides the adapter's (docs/concepts/sessions.md#provider-options)", function* () {
    const { turn } = yield* session({ model: "adapter", sandbox: "read-only" }, { model: "session" })
    assert.deepStrictEqual((yield* turn("a")).call.arguments, { prompt: "a", model: "session", sandbox: "read-only" })
  })
})

describe("a result of Codex's own MCP server (seed 4.1, 4.3, 4.4)", () => {
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
  test("passes the allow-list and the caller's variables only (promise 19)", function* () {
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
