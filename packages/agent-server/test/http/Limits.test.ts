import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as JsonBounds from "@zain/process/JsonBounds"
import * as JsonRpcMessage from "@zain/tool-server/JsonRpcMessage"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"
import * as SseClient from "./SseClient.ts"

const mebibyte = 2 ** 20
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const withParams = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`

/** A message of exactly so many bytes. */
const sized = (bytes: number) => {
  const empty = withParams('{"x":""}')
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`)
}

/** A client that has begun a session. */
const joined = (
  kind: "http" | "sse",
  url: string,
  token?: string,
): Effect.Effect<Pick<Front.SessionClient, "post">, never, Scope.Scope> =>
  kind === "http" ? Front.session(url, token) : SseClient.session(url, token)

describe("a message (promise 27)", () => {
  test.live("may have 4 MiB, and not a byte more", function* () {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url)
    assert.strictEqual((yield* client.post(sized(4 * mebibyte))).status, 200)
    const reply = yield* client.post(sized(4 * mebibyte + 1))
    assert.strictEqual(reply.status, 413)
    assert.match(String(Front.reasonOf(reply)), /4194304 bytes/)
  })

  test.live("that never ends is refused when it is too long, and its connection ended", function* () {
    const { port, url } = yield* Front.start({ limits: { maxBodyBytes: mebibyte } })
    const { id } = yield* Front.session(url)
    const { closed, socket, text } = yield* RawClient.connect(port)
    const head = [`Host: localhost:${port}`, "Content-Type: application/json", `Mcp-Session-Id: ${id}`]
    socket.write(["POST /mcp HTTP/1.1", ...head, "Transfer-Encoding: chunked", "", ""].join("\r\n"))
    const chunk = `10000\r\n${" ".repeat(65536)}\r\n`
    const write = () => {
      while (!socket.destroyed && socket.write(chunk)) {}
    }
    socket.on("drain", write)
    write()
    yield* RawClient.eventually(() => text().includes("413"))
    yield* closed
  })

  test.live.each([
    ["a batch", `[${Front.call("say x")}]`, 400],
    ["an empty batch", "[]", 400],
    ["no JSON", "{", 400],
    ["nothing", "", 400],
    ["a number", "1", 400],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
    ["no message", "{}", 400],
    ["a depth of 65", withParams(`{"x":${nested(63)}}`), 400],
    ["a depth of a million", nested(1_000_000), 400],
    ["a depth of a million that is never closed", `{"x":${"[".repeat(1_000_000)}`, 400],
    ["100,001 values", withParams(`{"x":[${"1,".repeat(99_995)}1]}`), 400],
    ["as many empty arrays", withParams(`{"x":[${"[],".repeat(99_995)}[]]}`), 400],
  ] as ReadonlyArray<[string, string | Buffer, number]>)(
    "is refused, and the session goes on: %s",
    function* ([_, body, status]) {
      const { url } = yield* Front.start()
      const client = yield* Front.session(url)
      const reply = yield* client.raw.send({ method: "POST", headers: client.headers, body })
      assert.strictEqual(reply.status, status, reply.text)
      assert.isString(Front.reasonOf(reply))
      assert.notMatch(reply.text, / at |\.ts|\.js|node_modules/)
      assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x"))), "x")
    },
  )

  test.live.each([
    ["a depth of 64", withParams(`{"x":${nested(62)}}`)],
    ["100,000 values", withParams(`{"x":[${"1,".repeat(99_994)}1]}`)],
    ["brackets and commas in a string", withParams(`{"x":"${'[,\\"{'.repeat(50_000)}"}`)],
  ])("is taken with %s", function* ([_, body]) {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url)
    assert.strictEqual((yield* client.post(String(body))).status, 200)
  })

  test.live.each([
    ["text/plain", {}],
    ["application/jsonp", {}],
    ["text/plain; application/json", {}],
    ["application/json; charset=utf-16", {}],
    ["application/json", { "content-encoding": "gzip" }],
  ] as ReadonlyArray<[string, Record<string, string>]>)("is refused with 415 as %s %o", function* ([type, more]) {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url)
    const headers = { ...client.headers, ...more, "content-type": type }
    const reply = yield* client.raw.send({ headers, body: Front.call("say x") })
    assert.strictEqual(reply.status, 415)
  })

  test.live("with keys like __proto__ changes nothing but what it says (promise 24)", function* () {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url)
    const hostile = `"__proto__":{"isAdmin":true,"prompt":"say no"},"constructor":{"prototype":{"isAdmin":true}}`
    const body = Front.call("say x").replace("{", `{${hostile},`).replace('"arguments":{', `"arguments":{${hostile},`)
    yield* client.post(body)
    assert.isUndefined(({} as { readonly isAdmin?: boolean }).isAdmin)
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x", 2))), "x")
  })

  test.live.each(["http", "sse"] as const)("names nothing by more than its server says, over %s", function* (kind) {
    const { url } = yield* Front.start({ kind, limits: { maxNameBytes: 8 } })
    const { post } = yield* joined(kind, url)
    const asked = [
      Front.call("say x", "123456789"),
      Front.call("say x", 1, { progressToken: "123456789" }),
      Front.call("say x", "12345678", { progressToken: "12345678" }),
    ]
    const replies = yield* Effect.forEach(asked, (body) => post(body))
    assert.deepStrictEqual(
      replies.map(({ status }) => status),
      [400, 400, kind === "http" ? 200 : 202],
    )
    assert.deepStrictEqual(replies.slice(0, 2).map(Front.reasonOf), [
      "`id` takes at most 8 bytes, and has more.",
      "`params._meta.progressToken` takes at most 8 bytes, and has more.",
    ])
  })

  test.live("does not repeat a thread id of more than 1 KiB", function* () {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url, undefined, { experimental: { "zain/events": {} } })
    const { text } = yield* client.post(Front.call("say x", 1, {}, "x".repeat(1_025)))
    assert.include(text, "There is no thread")
    assert.notInclude(text, "x".repeat(101))
  })

  test.live.each(["http", "sse"] as const)(
    "that is not whole makes room for later ones over %s, unless it is small (promise 27)",
    function* (kind) {
      const { port, url } = yield* Front.start({ kind, limits: { maxIncomingBytes: mebibyte } })
      const client = kind === "http" ? { path: "/mcp", ...(yield* Front.session(url)) } : yield* SseClient.session(url)
      const head = [`POST ${client.path} HTTP/1.1`, `Host: localhost:${port}`, "Content-Type: application/json"]
      const begun = (bytes: number) =>
        Effect.gen(function* () {
          const part = yield* RawClient.connect(port)
          part.socket.write([...head, `Content-Length: ${2 * mebibyte}`, "", " ".repeat(bytes)].join("\r\n"))
          return part
        })
      const [small, first] = [yield* begun(60_000), yield* begun(700_000)]
      const later = yield* begun(700_000)
      yield* RawClient.eventually(() => first.text().includes("503") || later.text().includes("503"))
      const [refused, stays] = first.text() === "" ? [later, first] : [first, later]
      assert.match(refused.text(), /Retry-After: 1\r\n.*as much as it can at once/s)
      assert.isBelow((yield* client.post(Front.call(`say ${"x".repeat(200_000)}`))).status, 203)
      assert.deepStrictEqual([small.text(), stays.text()], ["", ""])
    },
  )

  it("is judged in time that grows with its size, and no faster", () => {
    const text = `"${"\\\\".repeat(2 * mebibyte)}"`
    const before = process.cpuUsage()
    assert.isUndefined(JsonBounds.check(text, JsonRpcMessage.defaults))
    // The processor's time, in microseconds: some ten milliseconds are usual, and hours if it grew with the square.
    assert.isBelow(process.cpuUsage(before).user, 5_000_000)
  })
})

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]

const soon = Front.millis({ absence: 100 })

/** The status of one attempt to begin a session. */
const tried = (url: string, token = "") =>
  Effect.gen(function* () {
    const raw = yield* RawClient.make(url)
    const headers = { ...Front.json, authorization: `Bearer ${token}` }
    return (yield* raw.send({ headers, body: Front.initialize() })).status
  })

/** A session, as soon as there is a place for it. */
const begun = (url: string, token?: string) =>
  Effect.repeat(tried(url, token), { until: (status) => status === 200, schedule: again })

const again = Schedule.spaced("10 millis")

/** Until the server knows that a client without a connection is away. */
const gone = (client: Front.SessionClient, seen: { readonly interrupted: ReadonlyArray<string> }) =>
  Effect.gen(function* () {
    const before = seen.interrupted.length
    yield* client.begin(Front.call("stay", "gone"))
    client.raw.vanish()
    yield* RawClient.eventually(() => seen.interrupted.length > before)
  })

describe("a server that is full (promise 29)", () => {
  test.live("refuses a session more than it may have, and says when to come back", function* () {
    const { url } = yield* Front.start({ limits: { maxSessions: 2 } })
    const clients = [yield* Front.session(url), yield* Front.session(url)]
    const raw = yield* RawClient.make(url)
    const reply = yield* raw.send({ headers: Front.json, body: Front.initialize() })
    assert.deepStrictEqual([reply.status, reply.headers["retry-after"]], [503, "5"])
    for (const client of clients) assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x"))), "x")
    yield* clients[0]?.raw.send({ method: "DELETE", headers: clients[0].headers }) ?? Effect.void
    yield* Effect.repeat(raw.send({ headers: Front.json, body: Front.initialize() }), {
      until: ({ status }) => status === 200,
      schedule: again,
    })
  })

  test.live("gives the place of a client that has gone to one that comes", function* () {
    const { url } = yield* Front.start({ limits: { maxSessions: 2 } })
    const [gone, stays] = [yield* Front.session(url), yield* Front.session(url)]
    gone.raw.vanish()
    const raw = yield* RawClient.make(url)
    const begin = raw.send({ headers: Front.json, body: Front.initialize() })
    yield* Effect.repeat(begin, { until: ({ status }) => status === 200, schedule: again })
    assert.strictEqual((yield* gone.post(Front.call("say x"))).status, 404)
    assert.strictEqual(Front.contentOf(yield* stays.post(Front.call("say x"))), "x")
  })

  test.live(
    "gives the place of a principal's own client that has gone, rather than another's (promise 26)",
    function* () {
      const { url } = yield* Front.start({ tokens: [mine, theirs], limits: { maxSessions: 3 } })
      const another = yield* Front.session(url, theirs)
      const [own, stays] = [yield* Front.session(url, mine), yield* Front.session(url, mine)]
      another.raw.vanish()
      own.raw.vanish()
      yield* begun(url, mine)
      assert.strictEqual((yield* own.post(Front.call("say x"))).status, 404)
      assert.strictEqual(Front.contentOf(yield* another.post(Front.call("say x"))), "x")
      assert.strictEqual(Front.contentOf(yield* stays.post(Front.call("say x"))), "x")
    },
  )

  test.live(
    "takes no place from a principal that has no more clients than the one that asks (promise 26)",
    function* () {
      const { seen, url } = yield* Front.start({ tokens: [mine, theirs], limits: { ...soon, maxSessions: 2 } })
      const [another, own] = [yield* Front.session(url, theirs), yield* Front.session(url, mine)]
      const turn = yield* own.begin(Front.call("stay"))
      yield* gone(another, seen)
      assert.strictEqual(yield* tried(url, mine), 503)
      assert.strictEqual(Front.contentOf(yield* another.post(Front.call("say x"))), "x")
      assert.isFalse(turn.isOver())
    },
  )

  test.live("takes places from the principal alone that has the most clients (promise 26)", function* () {
    const tokens = [mine, theirs, "token-of-the-third-one"]
    const { seen, url } = yield* Front.start({ tokens, limits: { ...soon, maxSessions: 3 } })
    const few = yield* Front.session(url, mine)
    const [one, two] = [yield* Front.session(url, theirs), yield* Front.session(url, theirs)]
    yield* gone(few, seen)
    assert.strictEqual(yield* tried(url, tokens[2]), 503)
    one.raw.vanish()
    yield* begun(url, tokens[2])
    assert.strictEqual((yield* one.post(Front.call("say x"))).status, 404)
    for (const client of [few, two]) assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x"))), "x")
  })

  test.live("takes no more connections than it may have, and those that it has go on", function* () {
    const { port, url } = yield* Front.start({ limits: { maxSockets: 4 } })
    const client = yield* Front.session(url)
    const others = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => RawClient.connect(port))
    assert.strictEqual(yield* Effect.raceAll(others.map(({ closed }) => closed)), "")
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x"))), "x")
  })

  test.live("keeps a session that has nothing but its stream, however long that says nothing", function* () {
    const { clock, url } = yield* Front.still()
    const client = yield* Front.session(url)
    yield* client.listen()
    yield* clock.adjust("1 day")
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x"))), "x")
  })

  test.live("forgets a session that nobody has used for too long, and not one with a turn", function* () {
    const { clock, seen, url } = yield* Front.still()
    const [idle, busy] = [yield* Front.session(url), yield* Front.session(url)]
    yield* idle.post(Front.call("say x"))
    const turn = yield* busy.begin(Front.call("stay"))
    // Its client is there, by another connection, and nothing but the turn is under way.
    yield* busy.post(Front.call("say y", 2))
    turn.destroy()
    yield* turn.ended
    yield* busy.post(Front.call("say z", 3))
    yield* clock.adjust("31 minutes")
    yield* RawClient.eventually(() => seen.attached === 1)
    assert.strictEqual((yield* idle.post(Front.call("say x", 2))).status, 404)
    assert.deepStrictEqual([seen.working, seen.interrupted.length], [1, 0])
  })
})

/** Connections that say no more than this, and come again whenever they are ended. */
const strangers = (port: number, count: number, text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const sockets = new Set<net.Socket>()
      let isOver = false
      let ended = 0
      const come = () => {
        if (isOver) return
        const socket = net
          .connect(port, "127.0.0.1")
          .on("error", () => {})
          .resume()
        sockets.add(socket)
        socket.once("connect", () => socket.write(text))
        socket.once("close", () => {
          sockets.delete(socket)
          ended++
          come()
        })
      }
      for (let one = 0; one < count; one++) come()
      const end = () => {
        isOver = true
        for (const socket of sockets) socket.destroy()
      }
      return { end, ended: () => ended }
    }),
    ({ end }) => Effect.sync(end),
  )

describe("strangers (promise 29)", () => {
  const unended =
    "POST /mcp HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
  test.live.each([
    ["that say nothing", "http", "", mine],
    ["that say nothing", "sse", "", mine],
    ["that say nothing, without tokens", "http", "", undefined],
    ["that end no request, without tokens", "http", unended, undefined],
    ["whose token is none", "http", unended, mine],
  ] as ReadonlyArray<readonly [string, "http" | "sse", string, string | undefined]>)(
    "%s take all connections over %s, and every client that comes has its place",
    function* ([_, kind, text, token]) {
      const limits = { maxSockets: 8, maxSessions: 4 }
      const { port, url } = yield* Front.start({ kind, limits, tokens: token === undefined ? [] : [token] })
      const stays = yield* joined(kind, url, token)
      const { ended } = yield* strangers(port, 24, text.replace("PORT", String(port)))
      yield* RawClient.eventually(() => ended() > 48)
      for (let client = 0; client < 20; client++) yield* Effect.scoped(Effect.asVoid(joined(kind, url, token)))
      assert.isBelow((yield* stays.post(Front.call("say x"))).status, 203)
    },
  )
})

describe("a client that is slow (promise 29)", () => {
  test.live.each([
    ["the head", "Host: localhost\r\nX-Slow: ", { headersTimeout: 2_000 }],
    [
      "the body",
      "Host: localhost:PORT\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
      { headersTimeout: 2_000, requestTimeout: 2_000 },
    ],
  ] as ReadonlyArray<[string, string, Record<string, number>]>)(
    "to send %s is let go of with 408, and nobody else is",
    function* ([_, text, times]) {
      const limits = Front.millis(times)
      const { port, seen, url } = yield* Front.start({ limits })
      const client = yield* Front.session(url)
      const turn = yield* client.begin(Front.call("stay"))
      yield* RawClient.eventually(() => seen.working === 1)
      const slow = yield* RawClient.connect(port)
      slow.socket.write(`POST /mcp HTTP/1.1\r\n${text.replace("PORT", String(port))}`)
      assert.match(yield* slow.closed, /^HTTP\/1\.1 408/)
      // An answer may take as long as it takes.
      assert.isFalse(turn.isOver())
      assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say x", 2))), "x")
    },
  )
})
