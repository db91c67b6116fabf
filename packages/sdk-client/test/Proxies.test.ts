import { createServer } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { within } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as OriginProxy from "../src/http/OriginProxy.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { client, environment } from "../testing/Server.ts"

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
      yield* environment({ [`${scheme}_proxy`]: `http://me:hunter2@127.0.0.1:${port}` })
      const error = yield* openFails(`${scheme}://agents.example/mcp`)
      assert.strictEqual(`${error.reason} ${error.delivery}`, "unauthorized not-sent")
      assert.include(error.message, `through the proxy http://127.0.0.1:${port}, which rejected`)
      assert.match(error.message, /407.*HTTPS_PROXY/)
      assert.notInclude(inspect(error, { depth: 9 }), "hunter2")
    })
  }
})

describe("NO_PROXY", () => {
  const proxy = "http://proxy.example:3128"
  it.each([
    ["192.0.0.0/16", "http://192.0.7.1/mcp", true],
    ["192.0.0.0/16", "http://192.1.7.1/mcp", false],
    ["192.0.*", "https://192.0.7.1/mcp", true],
    ["192.0.*", "https://192.0.evil.example/mcp", false],
    ["2001:db8::1", "http://[2001:db8::1]/mcp", true],
    ["[2001:db8:0::1]", "http://[2001:db8::1]/mcp", true],
    ["[2001:db8::1]:443", "http://[2001:db8::1]/mcp", false],
    ["[2001:db8::1]:443", "https://[2001:db8::1]/mcp", true],
    ["fd00::/8,10.0.0.0/8", "http://[fd12::9]:80/mcp", true],
    ["[fd00::]/8:8080", "http://[fd12::9]:8080/mcp", true],
    ["host.example:8443", "https://host.example:8443/mcp", true],
    ["host.example:8443", "https://host.example/mcp", false],
    [".internal", "http://agents.internal/mcp", true],
    [".internal", "http://notinternal/mcp", false],
    ["Agents.Example.", "http://agents.example./mcp", true],
    ["*.example", "http://example/mcp", false],
    ["other, *", "http://agents.example/mcp", true],
    ["*:80", "https://agents.example/mcp", false],
    ["192.0.0.0/99 1.2.3.4/ /8 : [] ", "http://192.0.7.1/mcp", false],
    ["", "http://agents.example/mcp", false],
  ])("%j reaches %s directly: %j", (no_proxy, url, isDirect) => {
    assert.strictEqual(OriginProxy.of(new URL(url), { HTTP_PROXY: proxy, no_proxy }), isDirect ? undefined : proxy)
  })

  test.live("is obeyed by sessions, and an error through a proxy names it", function* () {
    const proxy = yield* HttpServer.start((_, response) => {
      response.writeHead(502).end()
      return true
    })
    const { host, origin } = new URL(proxy.url)
    yield* environment({ http_proxy: origin.replace("//", "//me:hunter2@"), no_proxy: "192.0.2.0/24" })
    const error = yield* openFails("http://agents.example/mcp")
    assert.include(error.message, `http://agents.example/mcp through the proxy http://${host} failed (HTTP 502)`)
    const before = proxy.asked.length
    yield* openFails("http://192.0.2.1/mcp", { connectTimeout: 300 })
    assert.lengthOf(proxy.asked, before)
  })
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
