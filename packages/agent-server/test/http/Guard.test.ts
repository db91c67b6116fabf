import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]
const bearer = (token: string) => ({ ...Front.json, authorization: `Bearer ${token}` })

/** The status of an initialize request with these headers. */
const statusOf = (url: string, headers: RawClient.Asked["headers"], path?: string) =>
  Effect.gen(function* () {
    const raw = yield* RawClient.make(url)
    const asked = { headers: { ...Front.json, ...headers }, body: Front.initialize() }
    return (yield* raw.send(path === undefined ? asked : { ...asked, path })).status
  })

describe("a page in a browser (promise 25)", () => {
  it.live.each([
    ["a foreign Origin", { origin: "https://evil.example" }],
    ["a foreign Origin that begins like ours", { origin: "http://localhost.evil.example" }],
    ["Origin: null", { origin: "null" }],
    ["our Origin and another", { origin: ["http://localhost", "https://evil.example"] }],
    ["another port of this machine", { origin: "http://localhost:1" }],
    ["no Origin, but loaded by a foreign page", { "sec-fetch-site": "cross-site" }],
    [
      "a foreign Origin that wants a WebSocket",
      { origin: "https://evil.example", connection: "Upgrade", upgrade: "websocket" },
    ],
    ["a name that was bound to this machine", { host: "evil.example" }],
    ["a name that was bound to this machine, with our port", { host: "evil.example:PORT" }],
    ["our name without our port", { host: "localhost" }],
  ] as ReadonlyArray<[string, Record<string, string | ReadonlyArray<string>>]>)(
    "is refused with 403 on every method and path, also with a token: %s",
    ([_, foreign]) =>
      Effect.gen(function* () {
        const { port, url } = yield* Front.start({ tokens: [mine] })
        const raw = yield* RawClient.make(url)
        const told = (value: string | ReadonlyArray<string>) =>
          typeof value === "string"
            ? value.replace("PORT", String(port))
            : value.map((one) => one.replace("PORT", String(port)))
        const headers = {
          ...bearer(mine),
          ...Object.fromEntries(Object.entries(foreign).map(([name, value]) => [name, told(value)])),
        }
        for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PUT"]) {
          for (const path of ["/mcp", "/", "/sse", "/message", "//", "/mcp/../x"]) {
            const body = method === "POST" ? { body: Front.initialize() } : {}
            const { status, text } = yield* raw.send({ method, path, headers, ...body })
            assert.strictEqual(status, 403, `${method} ${path} ${text}`)
          }
        }
      }),
  )

  it.live("is refused with two names", () =>
    Effect.gen(function* () {
      const { port } = yield* Front.start()
      const { closed, socket } = yield* RawClient.connect(port)
      const hosts = `Host: localhost:${port}\r\nHost: evil.example`
      socket.write(`PUT /mcp HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`)
      assert.match(yield* closed, /^HTTP\/1\.1 40[03] /)
    }),
  )

  it.live("is refused without a name", () =>
    Effect.gen(function* () {
      const { port } = yield* Front.start()
      const { closed, socket } = yield* RawClient.connect(port)
      socket.write("GET /mcp HTTP/1.0\r\n\r\n")
      assert.match(yield* closed, /^HTTP\/1\.1 403 /)
    }),
  )

  it.live("is let in from our own origins and from allowed ones", () =>
    Effect.gen(function* () {
      const { port, url } = yield* Front.start({ allowedOrigins: ["https://App.example/"] })
      for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
        assert.strictEqual(yield* statusOf(url, { origin: `http://${name}:${port}` }), 200, name)
        assert.strictEqual(yield* statusOf(url, { host: `${name}:${port}` }), 200, name)
      }
      assert.strictEqual(yield* statusOf(url, { origin: "https://app.example" }), 200)
      assert.strictEqual(yield* statusOf(url, { "sec-fetch-site": "same-origin" }), 200)
    }),
  )

  it.live("may use names that are allowed: with any port, or with one", () =>
    Effect.gen(function* () {
      const { url } = yield* Front.start({ allowedHosts: ["agents.example", "Other.example:8080"] })
      assert.strictEqual(yield* statusOf(url, { host: "agents.example" }), 200)
      assert.strictEqual(yield* statusOf(url, { host: "AGENTS.example:99" }), 200)
      assert.strictEqual(yield* statusOf(url, { host: "other.example:8080" }), 200)
      assert.strictEqual(yield* statusOf(url, { host: "other.example:8081" }), 403)
    }),
  )
})

describe("a stranger (promises 25 and 29)", () => {
  it.live.each([
    ["by a foreign name", "GET", "Host: evil.example", 403],
    ["from a foreign page", "GET", "Host: localhost:PORT\r\nOrigin: null", 403],
    ["without a token", "GET", "Host: localhost:PORT", 401],
    ["with a body that does not come", "POST", "Host: localhost:PORT\r\nContent-Length: 10", 401],
    ["with a wrong token", "GET", "Host: localhost:PORT\r\nAuthorization: Bearer wrong-token-wrong", 401],
  ] as ReadonlyArray<[string, string, string, number]>)(
    "is told why it is refused, and keeps no connection that somebody else may need: %s",
    ([_, method, head, status]) =>
      Effect.gen(function* () {
        const { port, url } = yield* Front.start({ tokens: [mine], limits: { maxSockets: 4 } })
        const strangers = yield* Effect.forEach([1, 2, 3, 4], () => RawClient.connect(port))
        for (const { socket } of strangers) {
          socket.write(`${method} /mcp HTTP/1.1\r\n${head.replace("PORT", String(port))}\r\n\r\n`)
        }
        const told = Effect.forEach(strangers, ({ closed }) => closed, { concurrency: "unbounded" })
        for (const text of yield* told) assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} .*"error"`, "s"))
        assert.strictEqual(Front.contentOf(yield* (yield* Front.session(url, mine)).post(Front.call("say x"))), "x")
      }),
  )
})

describe("a client without the token (promise 26)", () => {
  it.live.each([
    ["none", {}, undefined],
    ["a wrong one", { authorization: "Bearer wrong-token-wrong-token" }, undefined],
    ["one that begins the same", { authorization: `Bearer ${mine.slice(0, -1)}` }, undefined],
    ["one that goes on", { authorization: `Bearer ${mine}x` }, undefined],
    ["none after the scheme", { authorization: "Bearer " }, undefined],
    ["another scheme", { authorization: `Basic ${mine}` }, undefined],
    ["in the address", {}, `/mcp?token=${mine}&access_token=${mine}`],
  ] as ReadonlyArray<[string, Record<string, string>, string | undefined]>)(
    "is refused with 401, and is told how to send one: %s",
    ([_, headers, path]) =>
      Effect.gen(function* () {
        const { url } = yield* Front.start({ tokens: [mine, theirs] })
        const raw = yield* RawClient.make(url)
        const asked = { headers: { ...Front.json, ...headers }, body: Front.initialize() }
        const reply = yield* raw.send(path === undefined ? asked : { ...asked, path })
        assert.strictEqual(reply.status, 401)
        assert.match(String(reply.headers["www-authenticate"]), /^Bearer/)
        assert.match(String(Front.reasonOf(reply)), /token/)
        assert.notInclude(reply.text, mine)
      }),
  )

  it.live("is let in with it, without an Origin, whatever the case of the scheme", () =>
    Effect.gen(function* () {
      const { url } = yield* Front.start({ tokens: [mine, theirs] })
      for (const scheme of ["Bearer", "bearer", "BEARER"]) {
        assert.strictEqual(yield* statusOf(url, { authorization: `${scheme} ${theirs}` }), 200)
      }
    }),
  )

  it.live("with another's token knows nothing of their session, and ends nothing of it", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* Front.start({ tokens: [mine, theirs] })
      const client = yield* Front.session(url, mine)
      const turn = yield* client.begin(Front.call("stay"))
      yield* RawClient.eventually(() => seen.working === 1)
      const raw = yield* RawClient.make(url)
      const headers = { ...client.headers, authorization: `Bearer ${theirs}` }
      for (const asked of [{ body: Front.call("say x") }, { method: "GET" }, { method: "DELETE" }]) {
        const reply = yield* raw.send({ ...asked, headers })
        const unknown = yield* raw.send({ ...asked, headers: { ...headers, "mcp-session-id": "0".repeat(32) } })
        assert.deepStrictEqual([reply.status, reply.text], [404, unknown.text])
      }
      const cancel = Front.notification("notifications/cancelled", { requestId: 1 })
      assert.strictEqual((yield* raw.send({ headers, body: cancel })).status, 404)
      assert.deepStrictEqual([seen.working, turn.isOver()], [1, false])
      assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say mine", 2))), "mine")
    }),
  )

  it.live("with another's token cannot go on with their thread", () =>
    Effect.gen(function* () {
      const { url } = yield* Front.start({ tokens: [mine, theirs] })
      const [client, other] = [yield* Front.session(url, mine), yield* Front.session(url, theirs)]
      const threadId = Front.answerOf(yield* client.post(Front.call("say x")))?.result?.structuredContent?.threadId
      const stolen = Front.answerOf(yield* other.post(Front.call("earlier", 2, {}, threadId)))
      assert.isTrue(stolen?.result?.isError)
      const again = yield* Front.session(url, mine)
      assert.strictEqual(Front.contentOf(yield* again.post(Front.call("earlier", 2, {}, threadId))), "say x")
    }),
  )
})
