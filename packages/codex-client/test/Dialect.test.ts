import { assert, describe, it, vi } from "@effect/vitest"
import { CodexTransportFactory } from "@zain/codex-client"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpEvent } from "@zain/core/McpEvents"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { answered } from "./OwnWire.ts"
import { client, config, inWords, session } from "./Session.ts"

describe("a prompt as a tool call (design §6, codex native)", () => {
  it.effect("the first starts a thread, with every option by the tool's own name (seed 2.2)", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.effect("without options nothing but the prompt is sent: Codex refuses what it does not know", () =>
    Effect.gen(function* () {
      const { turn } = yield* session()
      assert.deepStrictEqual((yield* turn("a")).call.arguments, { prompt: "a" })
    }),
  )

  it.effect("options of a session stand over the adapter's, one by one (design §4, provider options)", () =>
    Effect.gen(function* () {
      const { turn } = yield* session({ model: "adapter", sandbox: "read-only" }, { model: "session" })
      assert.deepStrictEqual((yield* turn("a")).call.arguments, { prompt: "a", model: "session", sandbox: "read-only" })
    }),
  )

  it.effect("later ones go to the thread that Codex named, and carry no options (design §4, rule 6)", () =>
    Effect.gen(function* () {
      const { turn } = yield* session({ model: "a-model" })
      yield* turn("one", answered("1", "thread-7"))
      for (const prompt of ["two", "three"]) {
        const { call } = yield* turn(prompt, answered("next", "thread-7"))
        assert.deepStrictEqual([call.name, call.arguments], ["codex-reply", { threadId: "thread-7", prompt }])
      }
    }),
  )

  it.effect("another session has a thread of its own", () =>
    Effect.gen(function* () {
      const { adapter, turn, wire } = yield* session()
      yield* turn("one")
      const other = yield* adapter.openSession(config())
      const asked = yield* Effect.forkChild(adapter.execute(other, { content: "two" }))
      const call = yield* wire.next
      call.answer(answered("2", "thread-2"))
      assert.strictEqual((yield* Fiber.join(asked)).threadId, "thread-2")
      assert.strictEqual(call.name, "codex")
    }),
  )
})

describe("a result as an answer (seed 4.1, 4.3, 4.4)", () => {
  it.effect("structured content is the answer, and names the thread", () =>
    Effect.gen(function* () {
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
    }),
  )

  it.effect("without structure the first text is the answer, and there is no thread", () =>
    Effect.gen(function* () {
      const { id, turn } = yield* session()
      const content = [{ type: "image" }, { type: "text", text: "first" }, { type: "text", text: "second" }]
      const { answer } = yield* turn("a", { content })
      assert.deepStrictEqual(answer, { provider: "codex", sessionId: id, content: "first", isError: false })
    }),
  )

  it.effect("an empty answer is an answer", () =>
    Effect.gen(function* () {
      const { turn } = yield* session()
      assert.strictEqual((yield* turn("a", answered(""))).answer.content, "")
    }),
  )

  it.effect("isError is a response that says so, with Codex's words (design §4, McpResponse)", () =>
    Effect.gen(function* () {
      const { turn } = yield* session()
      const { answer } = yield* turn("a", { ...answered("unexpected status 401 Unauthorized"), isError: true })
      assert.deepInclude(answer, { content: "unexpected status 401 Unauthorized", isError: true })
    }),
  )

  it.effect.each([
    {},
    { content: [] },
    { content: [{ type: "image" }] },
    { structuredContent: { content: 7 } },
    { content: [{ type: "text", text: "hi" }], structuredContent: { threadId: "thread-7", content: 7 } },
  ])("%j holds no answer: protocol-violation", (result) =>
    Effect.gen(function* () {
      const { turn } = yield* session()
      assert.strictEqual(
        inWords(yield* Effect.flip(turn("a", result))),
        "ConnectionUnavailable protocol-violation unknown",
      )
    }),
  )
})

describe("a codex/event as an event (design §5, McpEvents)", () => {
  it.effect("deltas and messages have names, everything else is raw; all of them before the result (rule 7)", () =>
    Effect.gen(function* () {
      const { adapter, id, start } = yield* session()
      const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
      const { call, fiber } = yield* start("a")
      call.event({ type: "task_started" })
      call.event({ type: "agent_message_content_delta", delta: "hel" })
      call.event({ type: "agent_message_content_delta", delta: "lo" })
      call.event({ type: "agent_message", message: "hello" })
      call.event({ type: "agent_message", message: { odd: true } })
      call.event("odd")
      call.answer(answered("hello"))
      yield* Fiber.join(fiber)
      yield* adapter.closeSession(id)
      const said = (event: McpEvent) => {
        if (event._tag === "TextDelta" || event._tag === "Message") return `${event._tag} ${event.text}`
        if (event._tag !== "Raw") return event._tag
        return `Raw ${event.method} ${JSON.stringify((event.params as { readonly msg: unknown }).msg)}`
      }
      assert.deepStrictEqual((yield* Fiber.join(reader)).map(said), [
        "TurnStarted",
        'Raw codex/event {"type":"task_started"}',
        "TextDelta hel",
        "TextDelta lo",
        "Message hello",
        'Raw codex/event {"type":"agent_message","message":{"odd":true}}',
        'Raw codex/event "odd"',
        "TurnCompleted",
      ])
    }),
  )
})

describe("the options of Codex (design §4, provider options)", () => {
  it.effect.each([
    [{ modle: "x" }, "providerOptions.modle"],
    [{ model: "" }, "providerOptions.model"],
    [{ sandbox: "none" }, "providerOptions.sandbox"],
    [{ approvalPolicy: "untrusted" }, "providerOptions.approvalPolicy"],
    [{ threadId: "thread-1" }, "providerOptions.threadId"],
    [{ config: "model=x" }, "providerOptions.config"],
    [{ cwd: 7 }, "providerOptions.cwd"],
  ] as const)("%j is invalid-config, the message names the path, and nothing is started", ([options, path]) =>
    Effect.gen(function* () {
      const { adapter, wire } = yield* client()
      const error = yield* Effect.flip(adapter.openSession(config(options)))
      assert.strictEqual(inWords(error), "InvalidRequest invalid-config not-sent")
      assert.include(error.message, `\`${path}\``)
      assert.deepStrictEqual(wire.targets, [])
    }),
  )
})

describe("how a Codex is reached (seed 2.1)", () => {
  it("native() is codex mcp-server over stdio, and carries options and limits", () => {
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

  it.effect("its environment is the allow-list and what the caller named (design §6)", () =>
    Effect.gen(function* () {
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
    }),
  )
})
