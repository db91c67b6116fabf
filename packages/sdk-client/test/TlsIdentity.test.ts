/** The certificates of one connection, and the messages of TLS failures. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { createServer, type ServerOptions } from "node:https"
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { generate } from "selfsigned"
import * as HttpResponse from "../src/http/HttpResponse.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { client, environment } from "../testing/Server.ts"

const opener = fileURLToPath(new URL("../testing/fixtures/open-https.ts", import.meta.url))
const day = 86_400_000

/** A self-signed certificate. */
const certificate = async (host = "localhost", valid: readonly [from: number, to: number] = [-day, day]) => {
  const [from, to] = valid
  const { cert, private: key } = await generate([{ name: "commonName", value: host }], {
    notBeforeDate: new Date(Date.now() + from),
    notAfterDate: new Date(Date.now() + to),
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: host }] },
    ],
  })
  return { cert, key }
}

const [right, other, expired, early, elsewhere, proxied] = await Promise.all([
  certificate(),
  certificate(),
  certificate("localhost", [-2 * day, -day]),
  certificate("localhost", [day, 2 * day]),
  certificate("agents.example"),
  certificate("mcp.example"),
])

/** Returns the port. */
const listen = (server: Server) => Effect.map(HttpServer.listen(server, "localhost"), ({ port }) => port)

const secure = (options: ServerOptions) => listen(createServer(options, HttpServer.handle()))

const opened = (url: string, tls?: McpConnectionConfig.McpTls, make = McpConnectionConfig.streamableHttp) =>
  Effect.flatMap(client, (adapter) => adapter.openSession(make({ url, ...(tls === undefined ? {} : { tls }) })))

const refused = (...given: Parameters<typeof opened>) => Effect.flip(opened(...given))

describe("a server of TLS (promises 4 and 20)", () => {
  test.live.each([
    ["has expired", expired, "Renew it"],
    ["is not valid yet", early, "clocks"],
    ["does not match the host name", elsewhere, "Use a host name of the certificate"],
    ["is not trusted", right, "`tls.ca` of the connection, or in a file named by NODE_EXTRA_CA_CERTS"],
  ] as const)("whose certificate %s is unreachable, with a remedy in the message", function* ([wrong, its, remedy]) {
    const port = yield* secure(its)
    for (const make of [McpConnectionConfig.streamableHttp, McpConnectionConfig.sse]) {
      const ca = wrong === "is not trusted" ? other.cert : its.cert
      const { delivery, message, reason } = yield* refused(`https://localhost:${port}/mcp`, { ca }, make)
      assert.deepStrictEqual([reason, delivery], ["unreachable", "not-sent"])
      assert.include(message, `The certificate of https://localhost:${port}/mcp ${wrong} (`)
      assert.include(message, remedy)
      if (wrong !== "is not trusted") assert.notInclude(message, "NODE_EXTRA_CA_CERTS")
    }
  })

  test.live("is trusted because of `tls.ca`, by the connections with that `tls.ca` only", function* () {
    const port = yield* secure(right)
    const url = `https://localhost:${port}/mcp`
    const adapter = yield* client
    const open = (tls: object) => adapter.openSession(McpConnectionConfig.streamableHttp({ url, ...tls }))
    const id = yield* open({ tls: { ca: `${elsewhere.cert}\n${right.cert}` } })
    assert.strictEqual((yield* adapter.execute(id, { content: "echo" })).content, "well")
    // An idle connection to the same origin exists now.
    for (const tls of [{}, { tls: { ca: other.cert } }]) {
      assert.include((yield* Effect.flip(open(tls))).message, "is not trusted")
    }
  })

  test.live("is trusted because of NODE_EXTRA_CA_CERTS", function* () {
    const port = yield* secure(right)
    const authority = join(yield* directory, "authority.pem")
    writeFileSync(authority, right.cert)
    const said = (NODE_EXTRA_CA_CERTS?: string) =>
      Effect.promise(() => {
        const args = ["--conditions=zain-source", opener, `https://localhost:${port}/mcp`]
        const env = { ...process.env, NODE_EXTRA_CA_CERTS }
        return text(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env }).stdout)
      })
    assert.match(yield* said(), /is not trusted \((DEPTH_ZERO_)?SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/)
    assert.strictEqual(yield* said(authority), "open")
  })

  test.live(
    "that requires a client certificate receives that of `tls.cert` and `tls.key`, also for a prompt",
    function* () {
      const port = yield* secure({ ...right, requestCert: true, ca: other.cert })
      const url = `https://localhost:${port}/mcp`
      const adapter = yield* client
      const tls = { ca: right.cert, ...other }
      const id = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ url, tls }))
      assert.strictEqual((yield* adapter.execute(id, { content: "echo" })).content, "well")
      const error = yield* refused(url, { ca: right.cert })
      assert.match(error.message, /If it requires a client certificate, set `tls\.cert` and `tls\.key`/)
    },
  )

  test.live("behind a proxy is verified with the same `tls`", function* () {
    const port = yield* secure(proxied)
    const proxy = createHttpServer()
    proxy.on("connect", (_, socket: Socket) => {
      const through = connect(port, "localhost", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        through.pipe(socket).pipe(through)
      })
      through.on("error", () => {})
      socket.on("error", () => {})
    })
    const at = yield* listen(proxy)
    yield* environment({ https_proxy: `http://localhost:${at}` })
    const adapter = yield* client
    const url = "https://mcp.example/mcp"
    const id = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ url, tls: { ca: proxied.cert } }))
    assert.strictEqual((yield* adapter.execute(id, { content: "echo" })).content, "well")
    assert.include((yield* refused(url, { ca: other.cert })).message, "is not trusted")
  })
})

describe("the wrong scheme", () => {
  const answers: ReadonlyArray<readonly [how: string, bytes: string]> = [
    ["with a TLS alert", "\u0015\u0003\u0003\u0000\u0002\u0002\u0046"],
    [
      "as nginx does",
      "HTTP/1.1 400 Bad Request\r\ncontent-type: text/html\r\ncontent-length: 69\r\n\r\n<center>The plain HTTP request was sent to HTTPS port</center>\r\n\r\n\r\n\r\n",
    ],
    ["as Go does", "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"],
  ]
  for (const make of [McpConnectionConfig.streamableHttp, McpConnectionConfig.sse]) {
    test.live.each(answers)(
      `http for a port that serves https, which answers %s, fails with unreachable over ${make === McpConnectionConfig.sse ? "SSE" : "Streamable HTTP"}`,
      function* ([, bytes]) {
        const port = yield* listen(createTcpServer((socket) => socket.once("data", () => socket.end(bytes, "latin1"))))
        const { delivery, message, reason } = yield* refused(`http://localhost:${port}/mcp`, undefined, make)
        assert.deepStrictEqual([reason, delivery], ["unreachable", "not-sent"])
        assert.strictEqual(message, `http://localhost:${port}/mcp requires TLS. Use https:// in the URL.`)
      },
    )
  }

  test.live(
    "http for a port that serves https, which closes the connection as Node does, fails with the remedy",
    function* () {
      const port = yield* secure(right)
      assert.match((yield* refused(`http://localhost:${port}/mcp`)).message, /If it requires TLS, use https:\/\//)
    },
  )
})

describe("a TLS failure during a prompt (promise 3)", () => {
  it.each([
    { code: "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", sent: true, begun: true },
    { code: "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", sent: true, begun: false },
    { code: "HPE_INVALID_CONSTANT", sent: true, begun: true, isTls: true },
  ])("makes the delivery unknown after the server may have read the prompt: $code", (problem) => {
    assert.strictEqual(HttpResponse.problemError("the server", problem, "session").delivery, "unknown")
  })

  it.each([
    ...["SSLV3_ALERT_HANDSHAKE_FAILURE", "SSLV3_ALERT_BAD_CERTIFICATE", "TLSV13_ALERT_CERTIFICATE_REQUIRED"],
    ...["TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_ACCESS_DENIED", "TLSV1_ALERT_PROTOCOL_VERSION"],
  ])("makes the delivery not-sent if the server rejects the client before any response: ERR_SSL_%s", (alert) => {
    const problem = { code: `ERR_SSL_${alert}`, sent: true, begun: false }
    const error = HttpResponse.problemError("the server", problem, "session")
    assert.deepStrictEqual([error.reason, error.delivery], ["unreachable", "not-sent"])
  })
})

describe("an invalid certificate or key (promise 19)", () => {
  test.live.each([
    ["`tls.cert`", { cert: "top-secret", key: right.key }],
    ["`tls.key`", { cert: right.cert, key: other.key }],
  ] as const)("fails with invalid-config and the name %s, and is not shown", function* ([name, tls]) {
    const error = yield* refused("https://localhost:1/mcp", tls)
    assert.deepStrictEqual([error.reason, error.delivery], ["invalid-config", "not-sent"])
    assert.include(error.message, name)
    assert.notInclude(inspect(error, { depth: 9 }), "top-secret")
    assert.notInclude(inspect(error, { depth: 9 }), "PRIVATE KEY")
  })
})
