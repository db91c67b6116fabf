import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as HttpServer from "./HttpServer.ts"
import { client } from "./Server.ts"

const reasonOf = (error: McpError) => `${error._tag} ${error.reason} ${error.delivery}`
const isCall = ({ body }: HttpServer.Asked) => body.method === "tools/call"

/** Asks for the rest of a call's stream, and not for the server's own. */
const isResumption = ({ headers, method }: HttpServer.Asked) =>
  method === "GET" && headers["last-event-id"] !== undefined

/** Answers calls, and leaves the handshake to the healthy server. */
const onCall =
  (answer: (...given: Parameters<HttpServer.Answer>) => void): HttpServer.Answer =>
  (asked, response) => {
    if (!isCall(asked)) return undefined
    answer(asked, response)
    return true
  }

describe("a session over Streamable HTTP (MCP 2025-11-25, transports)", () => {
  it.live("carries its id, the version and the caller's headers with every request, and ends with DELETE", () =>
    Effect.gen(function* () {
      const { adapter, ask, id, server } = yield* HttpServer.session(undefined, { headers: { "x-team": "blue" } })
      assert.strictEqual((yield* ask("echo")).content, "well")
      yield* adapter.closeSession(id)
      const told = server.asked.map(({ body, headers, method }) => [
        body.method ?? method,
        headers["mcp-session-id"],
        headers["mcp-protocol-version"],
        headers["x-team"],
      ])
      assert.deepStrictEqual(told, [
        ["initialize", undefined, undefined, "blue"],
        ["notifications/initialized", "session-1", "2025-11-25", "blue"],
        ["GET", "session-1", "2025-11-25", "blue"],
        ["tools/call", "session-1", "2025-11-25", "blue"],
        ["DELETE", "session-1", "2025-11-25", "blue"],
      ])
    }),
  )

  it.live("events of a call come before its result, in order", () =>
    Effect.gen(function* () {
      const { adapter, ask, id } = yield* HttpServer.session(
        onCall((asked, response) => {
          const token = (asked.body.params?.["_meta"] as { progressToken: string } | undefined)?.progressToken
          const progress = (step: number) =>
            `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, progress: step } })}\n`
          HttpServer.events(
            response,
            progress(1),
            progress(2),
            `data: ${HttpServer.message(asked, { result: HttpServer.result("done") })}`,
          )
        }),
      )
      const reader = yield* Effect.forkChild(Stream.runCollect(Stream.take(adapter.events(id), 4)), {
        startImmediately: true,
      })
      yield* ask("echo")
      const tags = (yield* Fiber.join(reader)).map((event) => (event._tag === "TextDelta" ? event.text : event._tag))
      assert.deepStrictEqual(tags, ["TurnStarted", "1", "2", "TurnCompleted"])
    }),
  )

  it.live("a cancelled call closes its stream and tells the server (promise 5)", () =>
    Effect.gen(function* () {
      const closed = Promise.withResolvers<void>()
      const called = Promise.withResolvers<void>()
      const cancelled = Promise.withResolvers<unknown>()
      const { ask } = yield* HttpServer.session((asked, response) => {
        if (asked.body.method === "notifications/cancelled") cancelled.resolve(asked.body.params?.["requestId"])
        if (!isCall(asked)) return undefined
        response.on("close", () => closed.resolve())
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
        called.resolve()
        return true
      })
      const turn = yield* Effect.forkChild(ask("hang"), { startImmediately: true })
      yield* Effect.promise(() => called.promise)
      yield* Fiber.interrupt(turn)
      yield* Effect.promise(() => closed.promise)
      assert.match(String(yield* Effect.promise(() => cancelled.promise)), /^[0-9a-f]{32}-1$/)
    }),
  )

  it.live("a stream that ends before its answer goes on from its last event, and the answer arrives once", () =>
    Effect.gen(function* () {
      let asked: HttpServer.Asked | undefined
      const { ask, server } = yield* HttpServer.session((request, response) => {
        if (isCall(request)) {
          asked = request
          HttpServer.events(response, "retry: 100", "id: e-7", "data:")
          return true
        }
        if (!isResumption(request) || asked === undefined) return undefined
        HttpServer.events(response, `data: ${HttpServer.message(asked, { result: HttpServer.result("resumed") })}`)
        return true
      })
      assert.strictEqual((yield* ask("echo")).content, "resumed")
      const again = server.asked.filter(isResumption)
      assert.deepStrictEqual(
        again.map(({ headers }) => headers["last-event-id"]),
        ["e-7"],
      )
    }),
  )

  it.live("a stream that drops for ever is resumed twice and no more (promise 17)", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* HttpServer.session((asked, response) => {
        if (!isCall(asked) && !isResumption(asked)) return undefined
        HttpServer.events(response, "retry: 0", "id: e", "data:")
        return true
      })
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable connection-lost unknown")
      assert.strictEqual(server.asked.filter(isResumption).length, 2)
      assert.strictEqual(server.asked.filter(isCall).length, 1)
    }),
  )

  it.live("404 is session-expired, now and for every later prompt, and nothing more is sent", () =>
    Effect.gen(function* () {
      const { adapter, ask, id, server } = yield* HttpServer.session(
        onCall((_, response) => response.writeHead(404).end()),
      )
      for (let turn = 0; turn < 2; turn++) {
        assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable session-expired not-sent")
      }
      yield* adapter.closeSession(id)
      assert.strictEqual(server.asked.filter(isCall).length, 1)
      assert.strictEqual(server.asked.filter(({ method }) => method === "DELETE").length, 0)
    }),
  )

  it.live("429 says when to come back, and the session goes on", () =>
    Effect.gen(function* () {
      let times = 0
      const { ask } = yield* HttpServer.session((asked, response) => {
        if (!isCall(asked) || times++ > 0) return undefined
        response.writeHead(429, { "retry-after": "7" }).end()
        return true
      })
      const error = yield* Effect.flip(ask("echo"))
      assert.strictEqual(reasonOf(error), "ConnectionUnavailable rate-limited not-sent")
      assert.deepStrictEqual(error.diagnostics, { httpStatus: 429, retryAfter: 7000 })
      assert.strictEqual((yield* ask("echo")).content, "well")
    }),
  )

  it.live("redirects are not followed: nothing of ours reaches another origin (promise 20)", () =>
    Effect.gen(function* () {
      const other = yield* HttpServer.start()
      const { ask } = yield* HttpServer.session(
        onCall((_, response) => response.writeHead(307, { location: other.url }).end()),
        { headers: { authorization: "Bearer top-secret" } },
      )
      assert.strictEqual(reasonOf(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable protocol-violation not-sent")
      assert.deepStrictEqual(other.asked, [])
    }),
  )

  it.live("what a server says of our token is not repeated (promise 19)", () =>
    Effect.gen(function* () {
      const server = yield* HttpServer.start((_, response) => {
        response.writeHead(401, { "content-type": "text/plain" }).end("no entry for top-secret-token")
        return true
      })
      const adapter = yield* client
      const config = McpConnectionConfig.streamableHttp({ url: server.url, bearerToken: "top-secret-token" })
      const error = yield* Effect.flip(adapter.openSession(config))
      assert.strictEqual(reasonOf(error), "ConnectionUnavailable unauthorized not-sent")
      assert.include(error.message, "<redacted>")
      assert.notInclude(error.message, "top-secret-token")
      assert.strictEqual(server.asked[0]?.headers.authorization, "Bearer top-secret-token")
    }),
  )

  it.live("nobody there is unreachable", () =>
    Effect.gen(function* () {
      const adapter = yield* client
      const error = yield* Effect.flip(
        adapter.openSession(McpConnectionConfig.streamableHttp({ url: "http://127.0.0.1:1/mcp" })),
      )
      assert.strictEqual(reasonOf(error), "ConnectionUnavailable unreachable not-sent")
    }),
  )

  it.live("headers that cannot be sent are invalid-config, by name and never by value (promise 22)", () =>
    Effect.gen(function* () {
      const adapter = yield* client
      const cases = { "x-a": "top-secret\r\nx-b: 1", "bad name": "top-secret", "Mcp-Session-Id": "top-secret" }
      for (const [name, value] of Object.entries(cases)) {
        const config = McpConnectionConfig.streamableHttp({ url: "http://127.0.0.1:1/", headers: { [name]: value } })
        const error = yield* Effect.flip(adapter.openSession(config))
        assert.strictEqual(error.reason, "invalid-config")
        assert.include(error.message, name)
        assert.notInclude(error.message, "top-secret")
      }
    }),
  )

  it.live("sessions of one client share connections, and the client takes them along (promise 13)", () =>
    Effect.gen(function* () {
      const server = yield* HttpServer.start()
      const scope = yield* Scope.make()
      const adapter = yield* Scope.provide(client, scope)
      const config = McpConnectionConfig.streamableHttp({ url: server.url })
      const ids = yield* Effect.replicateEffect(adapter.openSession(config), 10)
      yield* Effect.forEach(ids, (id) => adapter.closeSession(id))
      // A second one is made when the first has not quite ended its reply.
      assert.isAtMost(yield* server.open, 2)
      yield* Scope.close(scope, Exit.void)
      yield* server.left
    }),
  )
})
