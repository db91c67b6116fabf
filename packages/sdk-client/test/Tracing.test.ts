import { assert, describe } from "@effect/vitest"
import * as McpApproval from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Option, type Tracer } from "effect"
import { make as recorder } from "../../core/testing/Recorder.ts"
import type { Message } from "../testing/AgentWire.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import * as AgentServerPeer from "./AgentServerPeer.ts"
import { session } from "./ScriptedServer.ts"

const traceparent = (span: Tracer.Span | undefined) =>
  span === undefined ? undefined : `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`

/** The `_meta` of the requests with this method. */
const metas = (method: string, messages: ReadonlyArray<Pick<Message, "method" | "params">>) =>
  messages
    .filter((message) => message.method === method)
    .map(({ params }) => params?.["_meta"] as Readonly<Record<string, string>> | undefined)

/** A session with one call, and the messages that its server received. */
const oneTurn = Effect.gen(function* () {
  const { ask, heard } = yield* session()
  yield* ask("echo {}")
  return yield* heard
})

describe("the trace context of a session (MCP, SEP-414)", () => {
  test.live("is sent over Streamable HTTP in the messages, not in headers", function* () {
    const { spans, watch } = recorder()
    const asked = yield* Effect.gen(function* () {
      const { ask, server } = yield* HttpServer.session()
      yield* ask("echo")
      return server.asked
    }).pipe(watch)
    const bodies = asked.map(({ body }) => body)
    assert.deepStrictEqual(metas("initialize", bodies), [{ traceparent: traceparent(spans[0]) ?? "" }])
    const [meta = {}] = metas("tools/call", bodies)
    assert.strictEqual(meta["traceparent"], traceparent(spans[1]))
    assert.isTrue(asked.every(({ headers }) => headers["traceparent"] === undefined))
    // The id of an MCP session is a credential: spans must not contain it.
    assert.strictEqual(asked.at(-1)?.headers["mcp-session-id"], "session-1")
    assert.notInclude(JSON.stringify(spans.map(({ attributes }) => [...attributes])), "session-1")
  })
})

test("the spans of a policy have no parent if the turn is not traced, since the handshake's span has ended", function* () {
  const { spans, watch } = recorder()
  const approvals = () => Effect.withSpan(Effect.succeed(McpApproval.approve), "policy")
  const { ask, start } = yield* watch(Effect.withSpan(AgentServerPeer.session({ approvals }), "caller"))
  const { call, fiber } = yield* start("go")
  yield* ask(1, AgentServerPeer.elicitation())
  call.answer(AgentServerPeer.answered("done"))
  yield* Fiber.join(fiber)
  assert.deepStrictEqual(spans.find(({ name }) => name === "policy")?.parent, Option.none())
  assert.isUndefined(spans.find(({ name }) => name === "invoke_agent test-agent"))
})

describe("a thread id that contains a secret of the connection", () => {
  test.live("is returned to the caller unchanged, and is in no span", function* () {
    const { spans, watch } = recorder()
    const { adapter, id } = yield* watch(session({ env: { API_KEY: "thread" } }))
    const { threadId } = yield* watch(adapter.execute(id, { content: "echo {}" }))
    assert.strictEqual(threadId, "thread")
    assert.notInclude(JSON.stringify(spans.map(({ attributes }) => [...attributes])), "thread")
  })
})

describe("the span of an operation has (MCP conventions)", () => {
  test.live("the method, the tool, the request and the version of MCP", function* () {
    const { spans, watch } = recorder()
    const heard = yield* oneTurn.pipe(watch)
    const [open, call] = spans.map(({ attributes }) => Object.fromEntries(attributes))
    assert.deepInclude(open, { "mcp.method.name": "initialize", "mcp.protocol.version": "2025-11-25" })
    assert.deepInclude(call, {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2025-11-25",
      "gen_ai.tool.name": "echo",
      "jsonrpc.request.id": heard.find(({ method }) => method === "tools/call")?.id,
    })
  })

  test.each([
    ["the model that a session requests", { model: "large" }, "large"],
    ["no model for a session without one", {}, undefined],
    ["the same model for a session that continues a thread", { model: "large", threadId: "thread-old" }, "large"],
  ] as const)("%s", function* ([, options, model]) {
    const { spans, watch } = recorder()
    yield* Effect.gen(function* () {
      const { turn } = yield* AgentServerPeer.session({}, options)
      yield* turn("hello")
      yield* turn("on")
    }).pipe(watch)
    const models = spans.map(({ attributes }) => attributes.get("gen_ai.request.model"))
    assert.deepStrictEqual(models, [undefined, model, model])
  })

  test.live("the code of a server's JSON-RPC error, and not its message", function* () {
    const { spans, watch } = recorder()
    yield* Effect.gen(function* () {
      const { ask } = yield* HttpServer.session((asked, response) => {
        if (asked.body.method !== "tools/call") return undefined
        response.setHeader("content-type", "application/json")
        response.end(HttpServer.message(asked, { error: { code: -32602, message: "secret-words" } }))
        return true
      })
      yield* Effect.flip(ask("echo"))
    }).pipe(watch)
    const call = spans[1]
    assert.deepInclude(Object.fromEntries(call?.attributes ?? []), {
      "rpc.response.status_code": "-32602",
      "error.type": "rejected-by-server",
      "zain.delivery": "unknown",
    })
    assert.notInclude(
      JSON.stringify([...(call?.attributes ?? []), call?.status._tag === "Ended" && call.status.exit]),
      "secret",
    )
  })
})
