/** The authentication of clients, over each transport that listens. */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Openings from "../../testing/http/Openings.ts"
import { type Headers, type Kind, kinds, ways } from "../../testing/http/Openings.ts"
import * as TestServer from "../../testing/TestServer.ts"

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]
const bearer = { Authorization: `Bearer ${mine}` }

const replyTo = (port: number, line: string, headers: Headers, body = "") =>
  Openings.reply(port, Openings.text(port, line, headers, body))

const ask = (kind: Kind, port: number, headers: Headers, query = "") =>
  Openings.reply(port, Openings.opening(kind, port, headers, ways[kind].line.replace(" HTTP", `${query} HTTP`)))

const strangers: ReadonlyArray<readonly [who: string, headers: Headers]> = [
  ["a foreign Origin", { Origin: "https://evil.example" }],
  ["a foreign Origin that begins like the server's", { Origin: "http://localhost.evil.example" }],
  ["Origin: null", { Origin: "null" }],
  ["the server's Origin and another", { Origin: ["http://localhost", "https://evil.example"] }],
  ["another port of this machine", { Origin: "http://localhost:1" }],
  ["no Origin, but loaded by a foreign page", { "Sec-Fetch-Site": "cross-site" }],
  ["a foreign name that resolves to this machine", { Host: "evil.example" }],
  ["a foreign name that resolves to this machine, with the server's port", { Host: "evil.example:PORT" }],
  ["the server's name without its port", { Host: "localhost" }],
  ["the server's address with another port", { Host: "127.0.0.1:1" }],
  ["an empty name", { Host: "" }],
]

const tokens: ReadonlyArray<readonly [which: string, headers: Headers, query?: string]> = [
  ["without one", {}],
  ["with a wrong one", { Authorization: "Bearer wrong-token-wrong-token" }],
  ["with a prefix of it", { Authorization: `Bearer ${mine.slice(0, -1)}` }],
  ["with one that is longer", { Authorization: `Bearer ${mine}x` }],
  ["without one after the scheme", { Authorization: "Bearer " }],
  ["with another scheme", { Authorization: `Basic ${mine}` }],
  ["with it in the URL", {}, `?token=${mine}&access_token=${mine}`],
  ["with it as a subprotocol", { "Sec-WebSocket-Protocol": mine }],
]

describe.each(kinds)("a page in a browser, over %s (promise 25)", (kind) => {
  test.live("is rejected with 403 for every method and path, also with a token", function* () {
    const { port, seen } = yield* TestServer.start({ kind, tokens: [mine] })
    for (const [who, headers] of strangers) {
      const refused = yield* ask(kind, port, { ...bearer, ...headers })
      assert.strictEqual(refused.status, 403, who)
      assert.match(refused.text, /--allow-(host|origin)\./, who)
    }
    for (const foreign of [{ Origin: "https://evil.example" }, { Host: "evil.example" }]) {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"]) {
        for (const path of ["/mcp", "/", "/sse", "/message", "//", "/mcp/../x"]) {
          const { status } = yield* replyTo(port, `${method} ${path} HTTP/1.1`, { ...bearer, ...foreign })
          assert.strictEqual(status, 403, `${method} ${path} ${JSON.stringify(foreign)}`)
        }
      }
    }
    assert.deepStrictEqual(seen.principals, [])
  })

  test.live("is rejected with two names, and without one", function* () {
    const { port } = yield* TestServer.start({ kind })
    const two = yield* ask(kind, port, { Host: ["localhost:PORT", "evil.example"] })
    assert.include([400, 403], two.status)
    assert.strictEqual((yield* replyTo(port, "GET /mcp HTTP/1.0", { Host: undefined })).status, 403)
  })

  test.live("is accepted from the server's origins and from allowed ones", function* () {
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

  test.live("may use allowed names, with any port or with one", function* () {
    const { port } = yield* TestServer.start({ kind, allowedHosts: ["agents.example", "Other.example:8080"] })
    for (const Host of ["agents.example", "AGENTS.example:99", "other.example:8080"]) {
      assert.strictEqual((yield* ask(kind, port, { Host })).status, ways[kind].opened, Host)
    }
    assert.strictEqual((yield* ask(kind, port, { Host: "other.example:8081" })).status, 403)
  })
})

describe.each(kinds)("a client of a server with a token, over %s (promise 26)", (kind) => {
  test.live("is rejected with 401, with a remedy, without one of its tokens", function* () {
    const { port, seen } = yield* TestServer.start({ kind, tokens: [mine, theirs] })
    for (const [which, headers, query] of tokens) {
      const { status, text } = yield* ask(kind, port, headers, query)
      assert.strictEqual(status, 401, which)
      assert.match(text, /^www-authenticate: Bearer/im, which)
      assert.match(text.slice(text.indexOf("\r\n\r\n")), /token/, which)
      assert.notInclude(text, mine, which)
    }
    assert.deepStrictEqual(seen.principals, [])
  })

  test.live("is accepted with the token, without an Origin, and with any case of the scheme", function* () {
    const { port } = yield* TestServer.start({ kind, tokens: [mine, theirs] })
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const { status } = yield* ask(kind, port, { Authorization: `${scheme} ${theirs}` })
      assert.strictEqual(status, ways[kind].opened, scheme)
    }
  })
})

describe("an unauthenticated client (promises 25 and 29)", () => {
  test.live.each([
    ["with a foreign name", "GET", { Host: "evil.example" }, 403],
    ["from a foreign page", "GET", { Origin: "null" }, 403],
    ["without a token", "GET", {}, 401],
    ["with an incomplete body", "POST", { "Content-Length": "10" }, 401],
    ["with a wrong token", "GET", { Authorization: "Bearer wrong-token-wrong" }, 401],
  ] as ReadonlyArray<readonly [string, string, Headers, number]>)(
    "receives the reason of its refusal, and its connection is closed: %s",
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
