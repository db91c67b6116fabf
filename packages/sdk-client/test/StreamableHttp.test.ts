import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import { Effect, Exit, Scope } from "effect"
import { inWords } from "../testing/AgentWire.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { client } from "../testing/Server.ts"

/** Answers calls; the healthy server answers the handshake. */
const onCall =
  (answer: (...given: Parameters<HttpServer.Answer>) => void): HttpServer.Answer =>
  (asked, response) => {
    if (!HttpServer.isCall(asked)) return undefined
    answer(asked, response)
    return true
  }

describe("a session over Streamable HTTP (MCP 2025-11-25, transports)", () => {
  test.live(
    "sends its id, the version and the caller's headers with every request, and ends with DELETE",
    function* () {
      // The longest valid id (promise 22).
      const long = `!~${"x".repeat(1_022)}`
      const begin: HttpServer.Answer = (asked, response) => {
        if (asked.body.method === "initialize") response.setHeader("mcp-session-id", long)
        return undefined
      }
      const { adapter, ask, id, server } = yield* HttpServer.session(begin, { headers: { "x-team": "blue" } })
      assert.strictEqual((yield* ask("echo")).content, "well")
      yield* adapter.closeSession(id)
      const requests = server.asked.map(({ body, headers, method }) => [
        body.method ?? method,
        headers["mcp-session-id"],
        headers["mcp-protocol-version"],
        headers["x-team"],
      ])
      assert.deepStrictEqual(requests, [
        ["initialize", undefined, undefined, "blue"],
        ["notifications/initialized", long, "2025-11-25", "blue"],
        ["GET", long, "2025-11-25", "blue"],
        ["tools/call", long, "2025-11-25", "blue"],
        ["DELETE", long, "2025-11-25", "blue"],
      ])
    },
  )

  test.live(
    "fails with session-expired after a 404, now and for every later prompt, and sends nothing more",
    function* () {
      const { adapter, ask, id, server } = yield* HttpServer.session(
        onCall((_, response) => response.writeHead(404).end()),
      )
      for (let turn = 0; turn < 2; turn++) {
        assert.strictEqual(inWords(yield* Effect.flip(ask("echo"))), "ConnectionUnavailable session-expired not-sent")
      }
      yield* adapter.closeSession(id)
      assert.strictEqual(server.asked.filter(HttpServer.isCall).length, 1)
      assert.strictEqual(server.asked.filter(({ method }) => method === "DELETE").length, 0)
    },
  )

  test.live(
    "shares connections with the client's other sessions, which close with the client (promise 13)",
    function* () {
      const server = yield* HttpServer.start()
      const scope = yield* Scope.make()
      const adapter = yield* Scope.provide(client, scope)
      const config = McpConnectionConfig.streamableHttp({ url: server.url })
      const ids = yield* Effect.replicateEffect(adapter.openSession(config), 10)
      yield* Effect.forEach(ids, (id) => adapter.closeSession(id))
      // A second connection is opened if the first has not ended its response.
      assert.isAtMost(server.open(), 2)
      yield* Scope.close(scope, Exit.void)
      yield* server.left
    },
  )
})
