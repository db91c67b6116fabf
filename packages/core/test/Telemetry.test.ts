import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import * as McpApproval from "@zain/core/McpApproval"
import { ConnectionUnavailable, type McpDelivery } from "@zain/core/McpError"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Tracer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type Options as AgentOptions,
  make as agent,
  config,
  session as held,
  start,
  unknownId,
} from "../testing/HeldAgent.ts"
import { attributesOf, ending, parentOf, make as recorder } from "../testing/Recorder.ts"
import { answer, http, whole } from "./WatchedSession.ts"

describe("spans (docs/guides/observe.md)", () => {
  test("of open, execute and close follow the GenAI and MCP conventions in name, kind and attributes", function* () {
    const { spans, watch } = recorder()
    const id = yield* watch(whole({ provider: "codex", reply: () => Effect.succeed(answer) }))
    const codex = { "gen_ai.provider.name": "codex", "gen_ai.agent.name": "codex" }
    const place = { "network.transport": "pipe", "zain.session.id": id }
    assert.deepStrictEqual(
      spans.map((span) => [span.name, span.kind, ending(span), attributesOf(span)]),
      [
        ["initialize", "client", "ok", { "mcp.method.name": "initialize", ...codex, ...place }],
        [
          "invoke_agent codex",
          "client",
          "ok",
          {
            "gen_ai.operation.name": "invoke_agent",
            ...codex,
            ...place,
            "zain.turn": 1,
            "gen_ai.conversation.id": "thread-1",
            "gen_ai.usage.input_tokens": 30,
            "gen_ai.usage.output_tokens": 5,
          },
        ],
        ["close_session codex", "internal", "ok", { ...codex, ...place }],
      ],
    )
  })

  test("of a server over HTTP contain its address and port, and no other part of its URL, no header, prompt or answer (promise: secrets never show)", function* () {
    const { everything, spans, watch } = recorder()
    yield* watch(whole({ provider: "claude-code", reply: () => Effect.succeed(answer) }, http))
    assert.strictEqual(spans.length, 3)
    assert.notInclude(everything(), "secret")
    for (const span of spans) {
      assert.deepInclude(attributesOf(span), {
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "server.address": "agents.example",
        "server.port": 8443,
      })
    }
  })

  test("of turns last from the call of execute to its end, with the wait in the queue, and have the number of the turn", function* () {
    const { spans, watch } = recorder()
    const { ask, next } = yield* held()
    const first = yield* start(watch(ask("one")))
    const second = yield* start(watch(ask("two")))
    yield* TestClock.adjust("3 seconds")
    ;(yield* next).answer("1")
    yield* Fiber.join(first)
    yield* TestClock.adjust("4 seconds")
    ;(yield* next).answer("2")
    yield* Fiber.join(second)
    const lasted = spans.map(({ status }) =>
      status._tag === "Ended" ? Number(status.endTime - status.startTime) / 1e9 : -1,
    )
    assert.deepStrictEqual(lasted, [3, 7])
    assert.deepStrictEqual(
      spans.map((span) => attributesOf(span)["zain.turn"]),
      [1, 2],
    )
  })
})

describe("the span and the metrics of an operation that fails (docs/guides/observe.md)", () => {
  const failure = (delivery: McpDelivery) =>
    new ConnectionUnavailable({ reason: "server-error", message: "secret-words", delivery, cause: "secret-cause" })
  const late = Effect.gen(function* () {
    const { fiber } = yield* (yield* held()).begin("Go", "1 second")
    yield* TestClock.adjust("1 second")
    return yield* Fiber.join(fiber)
  })

  test.each([
    {
      name: "an unknown session",
      run: Effect.flatMap(held(), ({ adapter }) => adapter.execute(unknownId, { content: "Go" })),
      says: ["execute", "unknown-session", "not-sent", "SessionNotFound: unknown-session"],
    },
    {
      name: "an empty prompt",
      run: Effect.flatMap(held(), ({ ask }) => ask("")),
      says: ["execute", "empty-content", "not-sent", "InvalidRequest: empty-content"],
    },
    {
      name: "a failure of the agent",
      run: whole({ reply: () => Effect.fail(failure("unknown")) }),
      says: ["execute", "server-error", "unknown", "ConnectionUnavailable: server-error"],
    },
    {
      name: "a deadline that has passed",
      run: late,
      says: ["execute", "deadline-exceeded", "unknown", "ConnectionUnavailable: deadline-exceeded"],
    },
    {
      name: "a server that cannot be reached",
      run: whole({ connect: () => Effect.fail(failure("not-sent")) }, http),
      says: ["open", "server-error", "not-sent", "ConnectionUnavailable: server-error"],
    },
    {
      name: "an invalid configuration",
      run: whole({}, { serverUrl: "secret-url", transport: "sse" }),
      says: ["open", "invalid-config", "not-sent", "InvalidRequest: invalid-config"],
    },
    {
      name: "a closed session",
      run: Effect.flatMap(held(), ({ close }) => Effect.andThen(close, close)),
      says: ["close", "closed", "not-sent", "SessionClosed: closed"],
    },
    {
      name: "a response with isError",
      run: whole({ reply: () => Effect.succeed({ ...answer, isError: true }) }),
      says: ["execute", "tool_error", undefined, "TurnFailed: tool_error"],
    },
    {
      name: "a defect",
      run: whole({ reply: () => Effect.die(new Error("secret-defect")) }),
      says: ["execute", "defect", undefined, "Defect: defect"],
    },
  ])("have the reason of $name", function* ({ run, says: [operation, type, delivery, status] }) {
    const { everything, named, spans, watch } = recorder()
    yield* Effect.exit(watch(run))
    const span = spans.find((span) => ending(span) !== "ok")
    assert.strictEqual(ending(span), status)
    assert.strictEqual(attributesOf(span)["error.type"], type)
    assert.strictEqual(attributesOf(span)["zain.delivery"], delivery)
    const counted = named("zain.client.errors").map(({ attributes, state }) => [
      attributes["zain.operation"],
      attributes["error.type"],
      state["count"],
    ])
    assert.deepStrictEqual(counted, [[operation, type, 1]])
    const took = named("gen_ai.client.operation.duration").map(({ attributes }) => attributes["error.type"])
    assert.deepStrictEqual(
      took.filter((error) => error !== undefined),
      operation === "execute" ? [type] : [],
    )
    assert.notInclude(everything(), "secret")
  })

  test("have error.type interrupted for a cancelled turn, which counts as no error", function* () {
    const { named, spans, watch } = recorder()
    const { ask, next } = yield* held()
    const asked = yield* start(watch(ask("Go")))
    yield* next
    yield* Fiber.interrupt(asked)
    assert.strictEqual(ending(spans[0]), "Interrupt")
    assert.strictEqual(attributesOf(spans[0])["error.type"], "interrupted")
    assert.strictEqual(named("gen_ai.client.operation.duration")[0]?.attributes["error.type"], "interrupted")
    assert.deepStrictEqual(named("zain.client.errors"), [])
  })
})

test("a cancelled handshake has a span with error.type interrupted, and counts as no session", function* () {
  const { metrics, spans, watch } = recorder()
  const { adapter, log } = yield* agent({ connect: () => Effect.never })
  const opening = yield* start(watch(adapter.openSession(config)))
  yield* Fiber.interrupt(opening)
  assert.deepStrictEqual(log, ["connected", "released"])
  assert.strictEqual(ending(spans[0]), "Interrupt")
  assert.deepInclude(attributesOf(spans[0]), { "error.type": "interrupted", "network.transport": "pipe" })
  assert.deepStrictEqual(
    metrics().map(({ attributes, name }) => [name, attributes["error.type"]]),
    [["mcp.client.operation.duration", "interrupted"]],
  )
})

describe("a thread id or model from outside is an attribute", () => {
  /** The telemetry of a turn with this thread id. */
  const named = Effect.fnUntraced(function* (threadId: string, about: AgentOptions["about"]) {
    const heard = recorder()
    const execute = () => Effect.succeed({ content: "", isError: false, threadId })
    const { ask } = yield* heard.watch(held({ execute, about }))
    const answer = yield* heard.watch(ask("Go"))
    assert.strictEqual(answer.threadId, threadId)
    return heard
  })

  test.each([
    { name: "if it has 128 characters", threadId: "t".repeat(128), traced: "t".repeat(128) },
    { name: "but not if it has 129", threadId: "t".repeat(129), traced: undefined },
    { name: "but not if the connection's redactor changes it", threadId: "thread-secret", traced: undefined },
  ])("$name", function* ({ threadId, traced }) {
    const redact = (text: string) => text.replaceAll("secret", "<redacted>")
    const { everything, named: metrics, spans } = yield* named(threadId, { model: "m".repeat(129), redact })
    assert.strictEqual(attributesOf(spans[1])["gen_ai.conversation.id"], traced)
    assert.isFalse("gen_ai.request.model" in attributesOf(spans[1]))
    assert.isFalse("gen_ai.request.model" in (metrics("gen_ai.client.operation.duration")[0]?.attributes ?? {}))
    assert.notInclude(everything(), "secret")
  })

  test("but is omitted, without further effect, if the redactor throws", function* () {
    const { spans } = yield* named("thread", { redact: () => assert.fail("broken") })
    assert.strictEqual(ending(spans[1]), "ok")
    assert.strictEqual(attributesOf(spans[1])["zain.turn"], 1)
  })
})

describe("the spans of an approval policy", () => {
  test("are children of the turn's span, whichever span is active in the agent's adapter", function* () {
    const { spans, watch } = recorder()
    const stale = Tracer.externalSpan({ spanId: "0".repeat(15).concat("1"), traceId: "1".repeat(32) })
    const request: McpApproval.McpApprovalRequest = { kind: "command", message: "May I?", paths: [] }
    const client = yield* InMemoryMcpClient.make({
      reply: ({ approve }) => Effect.as(Effect.withParentSpan(approve(request), stale), "done"),
      approvals: () => Effect.withSpan(Effect.succeed(McpApproval.approve), "policy"),
    })
    const id = yield* watch(client.openSession(InMemoryMcpClient.config))
    yield* watch(client.execute(id, { content: "Go" }))
    const [, turn, policy] = spans
    assert.deepStrictEqual(
      spans.map(({ name }) => name),
      ["initialize", "invoke_agent in-memory", "policy"],
    )
    assert.strictEqual(parentOf(policy), turn?.spanId)
  })
})
