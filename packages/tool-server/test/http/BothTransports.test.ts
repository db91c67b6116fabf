/**
 * Streamable HTTP and WebSocket at one URL.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Openings from "../../testing/http/Openings.ts"
import * as SocketClient from "../../testing/SocketClient.ts"
import * as TestServer from "../../testing/TestServer.ts"

const token = "a".repeat(32)
const kinds = ["http", "ws"] as const
const close = { http: { Connection: "close" }, ws: {} } as const

describe("a server of both Streamable HTTP and WebSocket", () => {
  test.live.each(kinds)(
    "checks the token, the origin, the host and the path of a client of %s (promise 25)",
    function* (kind) {
      const { port } = yield* TestServer.start({ kind: "both", tokens: [token] })
      const Authorization = `Bearer ${token}`
      const status = (headers: Openings.Headers, line?: string) =>
        Openings.reply(port, Openings.opening(kind, port, { ...close[kind], ...headers }, line))
      const [method] = Openings.ways[kind].line.split(" ")
      const refused = [
        yield* status({}),
        yield* status({ Authorization: "Bearer no" }),
        yield* status({ Authorization, Origin: "https://example.org" }),
        yield* status({ Authorization, Host: "example.org" }),
        yield* status({ Authorization }, `${method} /other HTTP/1.1`),
      ]
      assert.deepStrictEqual(
        refused.map((reply) => reply.status),
        [401, 401, 403, 403, 404],
      )
      assert.strictEqual((yield* status({ Authorization })).status, Openings.ways[kind].opened)
    },
  )

  test.live("counts the sessions of both transports together (promise 29)", function* () {
    const { port, url } = yield* TestServer.start({ kind: "both", limits: { maxSessions: 1 } })
    assert.match(url, /^http:.*\/mcp$/)
    yield* SocketClient.session(url.replace("http:", "ws:"))
    for (const kind of kinds)
      assert.strictEqual((yield* Openings.reply(port, Openings.opening(kind, port, close[kind]))).status, 503)
  })

  test.live("answers a request whose client offers HTTP/2 over HTTP/1.1", function* () {
    const { port } = yield* TestServer.start({ kind: "both" })
    const offer = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__" }
    assert.strictEqual((yield* Openings.reply(port, Openings.opening("http", port, offer))).status, 200)
  })
})
