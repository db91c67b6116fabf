import { createServer } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { inspect } from "node:util"
import { assert, describe } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import { within } from "../../core/test/Running.ts"
import { test } from "../../core/test/Test.ts"
import * as HttpServer from "./HttpServer.ts"
import { client, environment } from "./Server.ts"

const openFails = (url: string, options: Omit<McpConnectionConfig.HttpOptions, "url"> = {}) =>
  Effect.flatMap(client, (adapter) =>
    Effect.flip(adapter.openSession(McpConnectionConfig.streamableHttp({ ...options, url }))),
  )

/** A server that accepts connections and sends nothing. */
const silent = Effect.suspend(() => HttpServer.listen(createTcpServer((socket) => socket.resume())))

describe("proxies of the environment", () => {
  test.live("are used for other machines and never for this one", function* () {
    const proxy = yield* HttpServer.start((asked, response) => {
      if (asked.path.startsWith("http://agents.example/")) response.writeHead(401).end()
      return true
    })
    yield* environment({ http_proxy: new URL(proxy.url).origin })
    const { ask } = yield* HttpServer.session()
    assert.strictEqual((yield* ask("echo")).content, "well")
    assert.deepStrictEqual(proxy.asked, [])
    assert.strictEqual((yield* openFails("http://agents.example/mcp")).reason, "unauthorized")
  })

  for (const value of ["127.0.0.1:3128", "proxy.corp:8080", "http://user:hunter%zz2@proxy:1", "//me:hunter%zz2@p"]) {
    test.live(
      `with an invalid URL fail with invalid-config and are not shown: ${value} (promises 7 and 19)`,
      function* () {
        yield* environment({ HTTP_PROXY: value })
        const error = yield* openFails("http://agents.example/mcp")
        assert.strictEqual(error.reason, "invalid-config")
        assert.include(error.message, "HTTP_PROXY")
        assert.notInclude(inspect(error, { depth: 9 }), "hunter")
        // Loopback connections ignore the invalid proxy.
        const { ask } = yield* HttpServer.session()
        assert.strictEqual((yield* ask("echo")).content, "well")
      },
    )
  }

  for (const scheme of ["http", "https"]) {
    test.live(`that require a password fail with unauthorized and a message about the proxy: ${scheme}`, function* () {
      const proxy = createServer((_, response) => response.writeHead(407).end())
      proxy.on("connect", (_, socket) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"))
      const { port } = yield* HttpServer.listen(proxy)
      yield* environment({ [`${scheme}_proxy`]: `http://127.0.0.1:${port}` })
      const error = yield* openFails(`${scheme}://agents.example/mcp`)
      assert.strictEqual(`${error.reason} ${error.delivery}`, "unauthorized not-sent")
      assert.match(error.message, /proxy.*407.*HTTPS_PROXY/)
    })
  }
})

/** In milliseconds, shorter than the connect timeout, so that waiting for that timeout fails the test. */
const soon = 6_000

describe("a connection that is never established", () => {
  test.live("is closed with the openSession that needed it (promise 10)", function* () {
    const { left, port } = yield* silent
    const adapter = yield* client
    const config = McpConnectionConfig.streamableHttp({ url: `https://127.0.0.1:${port}/`, connectTimeout: 300 })
    assert.strictEqual((yield* Effect.flip(adapter.openSession(config))).reason, "connect-timeout")
    yield* within(soon, left)
  })

  test.live("is closed with its client, as is one to a silent proxy (promise 13)", function* () {
    const { left, port } = yield* silent
    yield* environment({ https_proxy: `http://127.0.0.1:${port}` })
    const error = yield* Effect.scoped(openFails("https://agents.example/mcp", { connectTimeout: 300 }))
    assert.strictEqual(error.reason, "connect-timeout")
    yield* within(soon, left)
  })
})
