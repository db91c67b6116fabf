/** The limits of sessions and connections, over each transport that listens (promise 29). */
import { assert, describe, it } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as HttpLimits from "@zain/tool-server/http/HttpLimits"
import { Effect, Schedule } from "effect"
import * as Doors from "../../testing/Doors.ts"
import * as Openings from "../../testing/http/Openings.ts"
import { type Kind, kinds } from "../../testing/http/Openings.ts"
import * as RawSocket from "../../testing/RawSocket.ts"
import * as TestServer from "../../testing/TestServer.ts"

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]
const ping = (client: Doors.Client, id: number) => Doors.ask(client, Messages.request(id, "ping"), id)

/** The server's answer to one more client. */
const tried = (kind: Kind, port: number) =>
  Openings.reply(port, Openings.opening(kind, port, kind === "ws" ? {} : { Connection: "close" }))

describe.each(kinds)("a server that is full, over %s (promise 29)", (kind) => {
  test.live(
    "has 64 clients, or 256 over ws, and rejects another one with Retry-After until one disconnects",
    function* () {
      assert.strictEqual(HttpLimits.make(kind).maxSessions, kind === "ws" ? 256 : 64)
      const max = 8
      const { port, url } = yield* TestServer.start({ kind, limits: { maxSessions: max } })
      const stays = yield* Doors.session(url)
      const come = Effect.tap(RawSocket.connect(port, Openings.opening(kind, port)), ({ text }) =>
        TestServer.eventually(() => text().includes("\r\n\r\n")),
      )
      const all = yield* Effect.forEach(Array.from({ length: max + 4 }), () => come, { concurrency: 16 })
      const [refused, open] = [true, false].map((isFull) =>
        all.filter(({ text }) => text().includes(" 503 ") === isFull),
      )
      assert.deepStrictEqual([open?.length, refused?.length], [max - 1, 5])
      for (const { text } of refused ?? []) assert.match(text(), /retry-after: 5/i)
      assert.isDefined((yield* ping(stays, 1)).result)
      open?.[0]?.socket.destroy()
      const isIn = ({ status }: { readonly status: number }) => status === Openings.ways[kind].opened
      yield* Effect.repeat(tried(kind, port), { until: isIn, schedule: Schedule.spaced("10 millis") })
      assert.isDefined((yield* ping(stays, 2)).result)
    },
  )

  test.live.each([
    ["", () => ""],
    [" of clients", (port: number) => Openings.opening(kind, port)],
  ] as const)("accepts no more connections%s than the maximum, and the open ones stay usable", function* ([_, first]) {
    const { port, url } = yield* TestServer.start({ kind, limits: { maxSockets: 4 } })
    const client = yield* Doors.session(url)
    const others = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => RawSocket.connect(port, first(port)))
    assert.strictEqual(yield* Effect.raceAll(others.map(({ closed }) => closed)), "")
    assert.isDefined((yield* ping(client, 1)).result)
  })
})

describe("the maximum number of connections (promise 29)", () => {
  it.each([
    ["http", 256, 1_200],
    ["sse", 256, 1_200],
    ["ws", 512, 600],
  ] as const)("over %s: %d connections, and where there are 300 sessions %d", (kind, sockets, more) => {
    assert.strictEqual(HttpLimits.make(kind).maxSockets, sockets)
    assert.strictEqual(HttpLimits.make(kind, { maxSessions: 300 }).maxSockets, more)
  })

  test.live("keeps as many connections open, and a client can connect", function* () {
    const { port, url } = yield* TestServer.start({ kind: "http" })
    const others = yield* Effect.forEach(Array.from({ length: 250 }), () => RawSocket.connect(port))
    const client = yield* Doors.session(url)
    assert.isDefined((yield* ping(client, 1)).result)
    assert.isTrue(others.every(({ socket }) => !socket.destroyed && !socket.readableEnded))
  })
})

const unended =
  "POST /mcp HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"

describe("unauthenticated clients (promise 29)", () => {
  test.live.each([
    ["that send nothing", "http", "", mine],
    ["that send nothing", "ws", "", mine],
    ["that complete no request, without tokens", "http", unended, undefined],
    ["whose token is invalid", "http", unended, mine],
  ] as ReadonlyArray<readonly [string, Kind, string, string | undefined]>)(
    "%s use all connections over %s, and every other client can still connect",
    function* ([_, kind, text, token]) {
      const limits = { maxSockets: 8, maxSessions: 4 }
      const { port, url } = yield* TestServer.start({ kind, limits, tokens: token === undefined ? [] : [token] })
      const stays = yield* Doors.session(url, token)
      let ended = 0
      const come = Effect.gen(function* () {
        yield* (yield* RawSocket.connect(port, text.replace("PORT", String(port)))).closed
        ended++
      }).pipe(Effect.scoped, Effect.forever)
      yield* Effect.forEach(Array.from({ length: 24 }), () => Effect.forkScoped(come))
      yield* TestServer.eventually(() => ended > 48)
      for (let client = 0; client < 20; client++) yield* Effect.scoped(Effect.asVoid(Doors.session(url, token)))
      assert.isDefined((yield* ping(stays, 1)).result)
    },
  )
})

describe("a slow client (promise 29)", () => {
  const [head, body] = ["Host: localhost\r\nX-Slow: ", unended.slice(unended.indexOf("Host"))]
  test.live.each([
    ["the headers", "http", head, { headersTimeout: 2_000 }],
    ["the headers", "ws", `Upgrade: websocket\r\n${head}`, { headersTimeout: 2_000 }],
    ["the headers within requestTimeout", "http", head, { headersTimeout: 60_000, requestTimeout: 2_000 }],
    ["the body", "http", body, { headersTimeout: 2_000, requestTimeout: 2_000 }],
  ] as ReadonlyArray<readonly [string, Kind, string, Record<string, number>]>)(
    "that does not send %s over %s is disconnected with 408, and no other client is",
    function* ([_, kind, text, times]) {
      const { port, seen, url } = yield* TestServer.start({ kind, limits: TestServer.millis(times) })
      const client = yield* Doors.session(url)
      client.say(Messages.call(1, "stay"))
      yield* TestServer.eventually(() => seen.working === 1)
      const line = kind === "ws" ? "GET /mcp HTTP/1.1" : "POST /mcp HTTP/1.1"
      const slow = yield* RawSocket.connect(port, `${line}\r\n${text.replace("PORT", String(port))}`)
      assert.match(yield* slow.closed, /^HTTP\/1\.1 408/)
      // An answer has no timeout.
      assert.isFalse(client.isOver())
      assert.isDefined((yield* ping(client, 2)).result)
    },
  )
})

describe("the session of a disconnected client (promise 26)", () => {
  const limits = (maxSessions: number) => ({ ...TestServer.millis({ absence: 100 }), maxSessions })
  const begins = (port: number, token: string) =>
    Openings.reply(port, Openings.opening("http", port, { Connection: "close", Authorization: `Bearer ${token}` }))
  const soon = (port: number, token: string) =>
    Effect.repeat(begins(port, token), {
      until: ({ status }) => status === 200,
      schedule: Schedule.spaced("10 millis"),
    })
  /** Waits until the server has noticed the disconnection. */
  const leaves = Effect.fnUntraced(function* (client: Doors.Client, seen: TestServer.Seen) {
    client.say(Messages.call("last", "stay"))
    yield* TestServer.eventually(() => seen.working === 1)
    client.vanish()
    yield* TestServer.eventually(() => seen.interrupted === 1)
  })
  /** 404 if the client has lost its session. */
  const hasLost = Effect.fnUntraced(function* (client: Doors.Client) {
    client.say(Messages.request("after", "ping"))
    yield* TestServer.eventually(() => client.refusals.length > 0 || client.heard.some(({ id }) => id === "after"))
    return client.refusals[0]?.startsWith("404") === true
  })
  const standing = (clients: ReadonlyArray<Doors.Client>) => Effect.forEach(clients, hasLost)

  test.live("is ended for a client of the same principal rather than for another's", function* () {
    const { port, url } = yield* TestServer.start({ kind: "http", tokens: [mine, theirs], limits: { maxSessions: 3 } })
    const another = yield* Doors.session(url, theirs)
    const [own, stays] = [yield* Doors.session(url, mine), yield* Doors.session(url, mine)]
    for (const { vanish } of [another, own]) vanish()
    yield* soon(port, mine)
    assert.deepStrictEqual(yield* standing([own, another, stays]), [true, false, false])
  })

  test.live("is not ended for a principal that has as many clients", function* () {
    const { port, seen, url } = yield* TestServer.start({ kind: "http", tokens: [mine, theirs], limits: limits(2) })
    const [another, own] = [yield* Doors.session(url, theirs), yield* Doors.session(url, mine)]
    yield* leaves(another, seen)
    own.say(Messages.call(1, "stay"))
    yield* TestServer.eventually(() => seen.working === 1)
    assert.strictEqual((yield* begins(port, mine)).status, 503)
    assert.deepStrictEqual(yield* standing([another, own]), [false, false])
    assert.deepStrictEqual([seen.working, own.isOver()], [1, false])
  })

  test.live("is ended only if its principal has the most clients", function* () {
    const [third, tokens] = ["token-of-the-third-one", [mine, theirs, "token-of-the-third-one"]]
    const { port, seen, url } = yield* TestServer.start({ kind: "http", tokens, limits: limits(3) })
    const few = yield* Doors.session(url, mine)
    const [one, two] = [yield* Doors.session(url, theirs), yield* Doors.session(url, theirs)]
    yield* leaves(few, seen)
    assert.strictEqual((yield* begins(port, third)).status, 503)
    one.vanish()
    yield* soon(port, third)
    assert.deepStrictEqual(yield* standing([one, few, two]), [true, false, false])
  })
})
