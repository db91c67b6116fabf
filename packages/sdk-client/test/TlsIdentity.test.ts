/** Certificates of one connection's own, and what is said where TLS goes wrong. */
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
import * as Effect from "effect/Effect"
import { generate } from "selfsigned"
import { test } from "../../core/test/Test.ts"
import { directory } from "../../process/test/Directory.ts"
import * as HttpResponse from "../src/http/HttpResponse.ts"
import * as HttpServer from "./HttpServer.ts"
import { client, environment } from "./Server.ts"

const opener = fileURLToPath(new URL("fixtures/open-https.ts", import.meta.url))
const day = 86_400_000

/** A certificate that vouches for itself. */
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

/** Gives the port. */
const listen = (server: Server) => Effect.map(HttpServer.listen(server, "localhost"), ({ port }) => port)

const secure = (options: ServerOptions) => listen(createServer(options, HttpServer.handle()))

const opened = (url: string, tls?: McpConnectionConfig.McpTls, make = McpConnectionConfig.streamableHttp) =>
  Effect.flatMap(client, (adapter) => adapter.openSession(make({ url, ...(tls === undefined ? {} : { tls }) })))

const refused = (...given: Parameters<typeof opened>) => Effect.flip(opened(...given))

describe("a server of TLS (promises 4 and 20)", () => {
  test.live.each([
    ["has expired", expired, "Renew it"],
    ["is not valid yet", early, "clocks"],
    ["is for another host name", elsewhere, "Use a name in the URL"],
    ["is not trusted", right, "`tls.ca` of the connection, or in NODE_EXTRA_CA_CERTS"],
  ] as const)(
    "whose certificate %s is unreachable, and the message says what to do about that",
    function* ([wrong, its, remedy]) {
      const port = yield* secure(its)
      for (const make of [McpConnectionConfig.streamableHttp, McpConnectionConfig.sse]) {
        const ca = wrong === "is not trusted" ? other.cert : its.cert
        const { delivery, message, reason } = yield* refused(`https://localhost:${port}/mcp`, { ca }, make)
        assert.deepStrictEqual([reason, delivery], ["unreachable", "not-sent"])
        assert.include(message, `The certificate of https://localhost:${port}/mcp ${wrong} (`)
        assert.include(message, remedy)
        if (wrong !== "is not trusted") assert.notInclude(message, "NODE_EXTRA_CA_CERTS")
      }
    },
  )

  test.live("is trusted on the word of `tls.ca`, and only by the connections that name it", function* () {
    const port = yield* secure(right)
    const url = `https://localhost:${port}/mcp`
    const adapter = yield* client
    const open = (tls: object) => adapter.openSession(McpConnectionConfig.streamableHttp({ url, ...tls }))
    const id = yield* open({ tls: { ca: `${elsewhere.cert}\n${right.cert}` } })
    assert.strictEqual((yield* adapter.execute(id, { content: "echo" })).content, "well")
    // A connection to the same origin is idle now.
    for (const tls of [{}, { tls: { ca: other.cert } }]) {
      assert.include((yield* Effect.flip(open(tls))).message, "is not trusted")
    }
  })

  test.live("is trusted on the word of NODE_EXTRA_CA_CERTS", function* () {
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
    "that asks for a client certificate gets the one of `tls.cert` and `tls.key`, also for a prompt",
    function* () {
      const port = yield* secure({ ...right, requestCert: true, ca: other.cert })
      const url = `https://localhost:${port}/mcp`
      const adapter = yield* client
      const tls = { ca: right.cert, ...other }
      const id = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ url, tls }))
      assert.strictEqual((yield* adapter.execute(id, { content: "echo" })).content, "well")
      const error = yield* refused(url, { ca: right.cert })
      assert.match(error.message, /If it requires a client certificate, give one in `tls\.cert` and `tls\.key`/)
    },
  )

  test.live("behind a proxy is judged by the same `tls`", function* () {
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

describe("http and https mixed up", () => {
  test.live("an https URL of a port that serves http is unreachable, and the message says so", function* () {
    const port = yield* listen(createHttpServer(HttpServer.handle()))
    const { message, reason } = yield* refused(`https://localhost:${port}/mcp`)
    assert.strictEqual(reason, "unreachable")
    assert.match(message, /does not speak TLS \(ERR_SSL_WRONG_VERSION_NUMBER\)\. Write http:\/\/ in the URL/)
  })

  const answers: ReadonlyArray<readonly [how: string, bytes: string]> = [
    ["with an alert of TLS", "\u0015\u0003\u0003\u0000\u0002\u0002\u0046"],
    [
      "as nginx does",
      "HTTP/1.1 400 Bad Request\r\ncontent-type: text/html\r\ncontent-length: 69\r\n\r\n<center>The plain HTTP request was sent to HTTPS port</center>\r\n\r\n\r\n\r\n",
    ],
    ["as Go does", "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"],
  ]
  for (const make of [McpConnectionConfig.streamableHttp, McpConnectionConfig.sse]) {
    test.live.each(answers)(
      `an http URL of a port that serves https, which answers %s, is unreachable over ${make === McpConnectionConfig.sse ? "SSE" : "Streamable HTTP"}`,
      function* ([, bytes]) {
        const port = yield* listen(createTcpServer((socket) => socket.once("data", () => socket.end(bytes, "latin1"))))
        const { delivery, message, reason } = yield* refused(`http://localhost:${port}/mcp`, undefined, make)
        assert.deepStrictEqual([reason, delivery], ["unreachable", "not-sent"])
        assert.strictEqual(message, `http://localhost:${port}/mcp requires TLS. Use https:// in the URL.`)
      },
    )
  }

  test.live("an http URL of a port that serves https, which only hangs up as Node does, gets the hint", function* () {
    const port = yield* secure(right)
    assert.match((yield* refused(`http://localhost:${port}/mcp`)).message, /If it speaks TLS, write https:\/\//)
  })
})

describe("TLS that breaks in the middle of an answer (promise 3)", () => {
  it.each([
    { code: "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", sent: true, begun: true },
    { code: "ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR", sent: true, begun: false },
    { code: "HPE_INVALID_CONSTANT", sent: true, begun: true, isTls: true },
  ])("leaves the delivery of the prompt unknown: $code", (problem) => {
    assert.strictEqual(HttpResponse.problemError("the server", problem, "session").delivery, "unknown")
  })

  it.each([
    ...["SSLV3_ALERT_HANDSHAKE_FAILURE", "SSLV3_ALERT_BAD_CERTIFICATE", "TLSV13_ALERT_CERTIFICATE_REQUIRED"],
    ...["TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_ACCESS_DENIED", "TLSV1_ALERT_PROTOCOL_VERSION"],
  ])("is not sent when the server refuses the client before any answer: ERR_SSL_%s", (alert) => {
    const problem = { code: `ERR_SSL_${alert}`, sent: true, begun: false }
    const error = HttpResponse.problemError("the server", problem, "session")
    assert.deepStrictEqual([error.reason, error.delivery], ["unreachable", "not-sent"])
  })
})

describe("what is no certificate or no key (promise 19)", () => {
  test.live.each([
    ["`tls.ca`", { ca: "top-secret" }],
    ["`tls.cert`", { cert: "top-secret", key: right.key }],
    ["`tls.key`", { cert: right.cert, key: "top-secret" }],
    ["`tls.key`", { cert: right.cert, key: other.key }],
  ] as const)("is invalid-config by its name, %s, and not shown", function* ([name, tls]) {
    const error = yield* refused("https://localhost:1/mcp", tls)
    assert.deepStrictEqual([error.reason, error.delivery], ["invalid-config", "not-sent"])
    assert.include(error.message, name)
    assert.notInclude(inspect(error, { depth: 9 }), "top-secret")
    assert.notInclude(inspect(error, { depth: 9 }), "PRIVATE KEY")
  })
})
