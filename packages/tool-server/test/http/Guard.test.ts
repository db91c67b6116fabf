/** Who is let in, over each transport that listens. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../core/test/Test.ts"
import * as TestServer from "../TestServer.ts"
import * as Openings from "./Openings.ts"
import { type Headers, type Kind, kinds, ways } from "./Openings.ts"

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]
const bearer = { Authorization: `Bearer ${mine}` }

const replyTo = (port: number, line: string, headers: Headers, body = "") =>
  Openings.reply(port, Openings.text(port, line, headers, body))

const ask = (kind: Kind, port: number, headers: Headers, query = "") =>
  Openings.reply(port, Openings.opening(kind, port, headers, ways[kind].line.replace(" HTTP", `${query} HTTP`)))

const strangers: ReadonlyArray<readonly [who: string, headers: Headers]> = [
  ["a foreign Origin", { Origin: "https://evil.example" }],
  ["a foreign Origin that begins like ours", { Origin: "http://localhost.evil.example" }],
  ["Origin: null", { Origin: "null" }],
  ["our Origin and another", { Origin: ["http://localhost", "https://evil.example"] }],
  ["another port of this machine", { Origin: "http://localhost:1" }],
  ["no Origin, but loaded by a foreign page", { "Sec-Fetch-Site": "cross-site" }],
  ["a name that was bound to this machine", { Host: "evil.example" }],
  ["a name that was bound to this machine, with our port", { Host: "evil.example:PORT" }],
  ["our name without our port", { Host: "localhost" }],
  ["our address with another port", { Host: "127.0.0.1:1" }],
  ["no name", { Host: "" }],
]

const tokens: ReadonlyArray<readonly [which: string, headers: Headers, query?: string]> = [
  ["none", {}],
  ["a wrong one", { Authorization: "Bearer wrong-token-wrong-token" }],
  ["one that begins the same", { Authorization: `Bearer ${mine.slice(0, -1)}` }],
  ["one that goes on", { Authorization: `Bearer ${mine}x` }],
  ["none after the scheme", { Authorization: "Bearer " }],
  ["another scheme", { Authorization: `Basic ${mine}` }],
  ["one in the address", {}, `?token=${mine}&access_token=${mine}`],
  ["one as a subprotocol", { "Sec-WebSocket-Protocol": mine }],
]

describe.each(kinds)("a page in a browser, over %s (promise 25)", (kind) => {
  test.live.each(strangers)(
    "is refused with 403 on every method and path, also with a token: %s",
    function* ([_, headers]) {
      const { port, seen } = yield* TestServer.start({ kind, tokens: [mine] })
      const refused = yield* ask(kind, port, { ...bearer, ...headers })
      assert.strictEqual(refused.status, 403)
      assert.match(refused.text, /--allow-(host|origin)\./)
      for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"]) {
        for (const path of ["/mcp", "/", "/sse", "/message", "//", "/mcp/../x"]) {
          const { status } = yield* replyTo(port, `${method} ${path} HTTP/1.1`, { ...bearer, ...headers })
          assert.strictEqual(status, 403, `${method} ${path}`)
        }
      }
      assert.deepStrictEqual(seen.principals, [])
    },
  )

  test.live("is refused with two names, and without one", function* () {
    const { port } = yield* TestServer.start({ kind })
    const two = yield* ask(kind, port, { Host: ["localhost:PORT", "evil.example"] })
    assert.include([400, 403], two.status)
    assert.strictEqual((yield* replyTo(port, "GET /mcp HTTP/1.0", { Host: undefined })).status, 403)
  })

  test.live("is let in from our own origins and from allowed ones", function* () {
    const { port } = yield* TestServer.start({ kind, allowedOrigins: ["https://App.example/"] })
    const own = ["localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:PORT`)
    for (const headers of [
      ...own.flatMap((name) => [{ Origin: `http://${name}` }, { Host: name }]),
      { Origin: "https://app.example" },
      { "Sec-Fetch-Site": "same-origin" },
    ]) {
      assert.strictEqual((yield* ask(kind, port, headers)).status, ways[kind].opened, JSON.stringify(headers))
    }
  })

  test.live("may use names that are allowed: with any port, or with one", function* () {
    const { port } = yield* TestServer.start({ kind, allowedHosts: ["agents.example", "Other.example:8080"] })
    for (const Host of ["agents.example", "AGENTS.example:99", "other.example:8080"]) {
      assert.strictEqual((yield* ask(kind, port, { Host })).status, ways[kind].opened, Host)
    }
    assert.strictEqual((yield* ask(kind, port, { Host: "other.example:8081" })).status, 403)
  })
})

describe.each(kinds)("a client without the token, over %s (promise 26)", (kind) => {
  test.live.each(tokens)("is refused with 401, and is told how to send one: %s", function* ([_, headers, query]) {
    const { port, seen } = yield* TestServer.start({ kind, tokens: [mine, theirs] })
    const { status, text } = yield* ask(kind, port, headers, query)
    assert.strictEqual(status, 401)
    assert.match(text, /^www-authenticate: Bearer/im)
    assert.match(text.slice(text.indexOf("\r\n\r\n")), /token/)
    assert.notInclude(text, mine)
    assert.deepStrictEqual(seen.principals, [])
  })

  test.live("is let in with it, without an Origin, whatever the case of the scheme", function* () {
    const { port } = yield* TestServer.start({ kind, tokens: [mine, theirs] })
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const { status } = yield* ask(kind, port, { Authorization: `${scheme} ${theirs}` })
      assert.strictEqual(status, ways[kind].opened, scheme)
    }
  })
})

describe("a stranger (promises 25 and 29)", () => {
  test.live.each([
    ["by a foreign name", "GET", { Host: "evil.example" }, 403],
    ["from a foreign page", "GET", { Origin: "null" }, 403],
    ["without a token", "GET", {}, 401],
    ["with a body that does not come", "POST", { "Content-Length": "10" }, 401],
    ["with a wrong token", "GET", { Authorization: "Bearer wrong-token-wrong" }, 401],
  ] as ReadonlyArray<readonly [string, string, Headers, number]>)(
    "is told why it is refused, and keeps no connection that somebody else may need: %s",
    function* ([_, method, headers, status]) {
      const { port } = yield* TestServer.start({ kind: "http", tokens: [mine], limits: { maxSockets: 4 } })
      const all = Array.from({ length: 4 }, () => replyTo(port, `${method} /mcp HTTP/1.1`, headers))
      for (const refused of yield* Effect.all(all, { concurrency: "unbounded" })) {
        assert.strictEqual(refused.status, status)
        assert.include(refused.text, '"error"')
      }
      assert.strictEqual((yield* ask("http", port, bearer)).status, 200)
    },
  )
})
