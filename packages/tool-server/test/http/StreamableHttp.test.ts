/** Streamable HTTP only: a session that outlives its connections. */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import * as RawHttp from "@zain/testkit/RawHttp"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as RawSocket from "../../testing/RawSocket.ts"
import * as TestServer from "../../testing/TestServer.ts"
import * as HttpSession from "./HttpSession.ts"
import { echo, textOf } from "./HttpSession.ts"

const start = (options: TestServer.StartOptions = {}) => TestServer.start({ kind: "http", ...options })
const still = () => TestServer.still({ kind: "http" })
const cancel = (requestId: string | number) => Messages.notification("notifications/cancelled", { requestId })
const stay = Messages.call(7, "stay")

describe("a session over Streamable HTTP (MCP 2025-11-25, transports)", () => {
  test.live("has an id of 128 random bits (promise 21)", function* () {
    const { url } = yield* start()
    const ids = yield* Effect.forEach([1, 2, 3], () => Effect.map(HttpSession.open(url), ({ id }) => id))
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
    assert.strictEqual(new Set(ids).size, 3)
  })

  test.live("rejects invalid requests, and continues", function* () {
    const { headers, post, raw } = yield* HttpSession.open((yield* start()).url)
    const body = echo("hello")
    const { json } = RawHttp
    const rows: ReadonlyArray<readonly [status: number, asked: RawHttp.Asked]> = [
      [404, { headers: { ...headers, "mcp-session-id": "0".repeat(32) }, body }],
      [400, { headers: json, body }],
      [400, { headers: json }],
      [400, { method: "DELETE", headers: json }],
      [405, { method: "PUT", headers, body }],
      [404, { headers, body, path: "/other" }],
      [400, { headers: { ...headers, "mcp-protocol-version": "1" }, body }],
      [406, { headers: { ...headers, accept: "application/json" }, body }],
      [400, { headers, body: Messages.initialize }],
      [400, { headers, body: "{" }],
      [400, { method: "POST", headers, body: "" }],
      [415, { headers: { ...headers, "content-type": "text/plain" }, body }],
      [415, { headers: { ...headers, "content-type": "application/jsonp" }, body }],
      [415, { headers: { ...headers, "content-type": "text/plain; application/json" }, body }],
      [415, { headers: { ...headers, "content-type": "application/json; charset=utf-16" }, body }],
      [415, { headers: { ...headers, "content-encoding": "gzip" }, body }],
    ]
    for (const [status, asked] of rows) {
      const reply = yield* raw.send(asked)
      assert.strictEqual(reply.status, status, reply.text)
      assert.isString(HttpSession.answerOf(reply.text)?.error?.message)
      assert.notMatch(reply.text, /\\n +at |\.ts|\.js|node_modules/)
    }
    assert.strictEqual(textOf(yield* post(body)), "hello")
  })

  test.live("rejects an endless body above the limit, and closes its connection (promise 27)", function* () {
    const { port, url } = yield* start({ limits: { maxBodyBytes: 2 ** 20 } })
    const { id } = yield* HttpSession.open(url)
    const head = [`Host: localhost:${port}`, "Content-Type: application/json", `Mcp-Session-Id: ${id}`]
    const { closed, socket, text } = yield* RawSocket.connect(
      port,
      ["POST /mcp HTTP/1.1", ...head, "Transfer-Encoding: chunked", "", ""].join("\r\n"),
    )
    const chunk = `10000\r\n${" ".repeat(65536)}\r\n`
    const write = () => {
      while (!socket.destroyed && socket.write(chunk)) {}
    }
    socket.on("drain", write)
    write()
    yield* TestServer.eventually(() => text().includes("413"))
    yield* closed
  })

  test.live(
    "ends with DELETE: its call is interrupted, its id is unknown, a new session can open, and another one continues",
    function* () {
      const { seen, url } = yield* start({ limits: { maxSessions: 2 } })
      const [client, other] = [yield* HttpSession.open(url), yield* HttpSession.open(url)]
      const call = yield* client.begin(stay)
      yield* TestServer.eventually(() => seen.working === 1)
      assert.strictEqual((yield* client.end).status, 200)
      yield* call.ended
      yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 0)
      assert.strictEqual((yield* client.post(echo("x"))).status, 404)
      assert.strictEqual(textOf(yield* other.post(echo("y"))), "y")
      // A new session can open, although its client still has connections.
      assert.strictEqual(textOf(yield* (yield* HttpSession.open(url)).post(echo("z"))), "z")
    },
  )

  test.live("ends the stream of a cancelled call", function* () {
    const { seen, url } = yield* start()
    const client = yield* HttpSession.open(url)
    const call = yield* client.begin(stay)
    yield* TestServer.eventually(() => seen.working === 1)
    yield* client.post(cancel(7))
    assert.isUndefined(HttpSession.answerOf(yield* call.ended)?.result)
    yield* TestServer.eventually(() => seen.interrupted === 1)
  })

  test.live("does not start a call whose cancellation overtakes it on another connection (promise 5)", function* () {
    const { seen, url } = yield* start({ limits: { maxNameBytes: 4_096 } })
    const { post } = yield* HttpSession.open(url)
    yield* post(cancel(7))
    const { error } = HttpSession.answerOf((yield* post(stay)).text) ?? {}
    assert.deepInclude(error, { code: -32_800, message: "The call was cancelled." })
    assert.deepInclude(seen, { working: 0, clients: 0 })
    // An id that is too long for a request is not kept.
    const long = "x".repeat(2_000)
    yield* post(cancel(long))
    assert.strictEqual(textOf(yield* post(echo("long", long))), "long")
    // A cancellation of an answered call does not affect a later call with its id.
    assert.strictEqual(textOf(yield* post(echo("a", 8))), "a")
    yield* post(cancel(8))
    assert.strictEqual(textOf(yield* post(echo("b", 8))), "b")
  })

  test.live("pauses a call also after an answer of its client with the same id (promise 27)", function* () {
    const { seen, url } = yield* start()
    const client = yield* HttpSession.open(url)
    const pour = { pieces: 480, bytes: 65_536, asks: true, stays: true }
    const call = yield* client.begin(Messages.call(1, "pour", pour))
    const [question] = HttpSession.messages(yield* call.until("elicitation/create"))
    call.response.pause()
    for (const id of [1, question?.id]) {
      assert.strictEqual((yield* client.post(Messages.accepted(id))).status, 202)
    }
    yield* TestServer.eventually(() => seen.held > 0 || seen.poured === 480)
    assert.isAbove(seen.held, 0)
  })

  test.live("is unknown with another token, which cannot end it (promise 26)", function* () {
    const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]
    const { seen, url } = yield* start({ tokens: [mine, theirs] })
    const client = yield* HttpSession.open(url, mine)
    const call = yield* client.begin(stay)
    yield* TestServer.eventually(() => seen.working === 1)
    const raw = yield* RawHttp.make(url)
    const headers = { ...client.headers, authorization: `Bearer ${theirs}` }
    for (const asked of [{ body: echo("x") }, { method: "GET" }, { method: "DELETE" }, { body: cancel(7) }]) {
      const reply = yield* raw.send({ ...asked, headers })
      const unknown = yield* raw.send({ ...asked, headers: { ...headers, "mcp-session-id": "0".repeat(32) } })
      assert.deepStrictEqual([reply.status, reply.text], [404, unknown.text])
    }
    assert.deepStrictEqual([seen.working, call.isOver()], [1, false])
    assert.strictEqual(textOf(yield* client.post(echo("mine"))), "mine")
  })
})

/** Waits for the answer to a new client: the server has handled every earlier event then. */
const hasSeen = (url: string) => Effect.tap(RawHttp.make(url), (client) => client.send({ path: "/" }))
const absent = { limits: TestServer.millis({ absence: 100 }) }

describe("a disconnected client (promise 29)", () => {
  test.live("may resume its session: the next call acquires its resources again", function* () {
    const { seen, url } = yield* start(absent)
    const client = yield* HttpSession.open(url)
    yield* client.post(echo("x"))
    client.raw.vanish()
    yield* TestServer.eventually(() => seen.clients === 0)
    assert.strictEqual(textOf(yield* client.post(echo("y"))), "y")
    assert.strictEqual(seen.clients, 1)
  })

  test.live("keeps its call if it reconnects in time", function* () {
    const { clock, seen, url } = yield* still()
    const client = yield* HttpSession.open(url)
    const call = yield* client.begin(stay)
    const [first] = HttpSession.eventIds(yield* call.until("id: "))
    yield* TestServer.eventually(() => seen.working === 1)
    client.raw.vanish()
    yield* hasSeen(url)
    yield* client.listen(first)
    yield* clock.adjust("1 minute")
    yield* hasSeen(url)
    assert.deepStrictEqual([seen.working, seen.interrupted], [1, 0])
  })

  test.live("receives the error of its lost call when it resumes the stream", function* () {
    const { seen, url } = yield* start(absent)
    const client = yield* HttpSession.open(url)
    const call = yield* client.begin(stay)
    const [first] = HttpSession.eventIds(yield* call.until("id: "))
    yield* TestServer.eventually(() => seen.working === 1)
    client.raw.vanish()
    yield* TestServer.eventually(() => seen.interrupted === 1)
    const stream = yield* client.listen(first)
    assert.isTrue(HttpSession.answerOf(yield* stream.until("interrupted"))?.result?.isError)
  })
})

describe("a connected client (promise 29)", () => {
  test.live("keeps its call when the call's own connection breaks", function* () {
    const { clock, seen, url } = yield* still()
    const client = yield* HttpSession.open(url)
    const call = yield* client.begin(stay)
    yield* client.listen()
    yield* TestServer.eventually(() => seen.working === 1)
    call.response.destroy()
    yield* call.ended
    yield* hasSeen(url)
    yield* clock.adjust("1 minute")
    yield* hasSeen(url)
    assert.deepStrictEqual([seen.working, seen.interrupted], [1, 0])
  })

  test.live("keeps its resources between calls by its idle connection, for 65 s", function* () {
    const { clock, seen, url } = yield* still()
    const { headers } = yield* (yield* HttpSession.open(url)).post(echo("x"))
    assert.match(String(headers["keep-alive"]), /timeout=65/)
    yield* hasSeen(url)
    yield* clock.adjust("1 minute")
    yield* hasSeen(url)
    assert.strictEqual(seen.clients, 1)
  })

  test.live("keeps its session by a silent stream, for a day", function* () {
    const { clock, url } = yield* still()
    const { listen, post } = yield* HttpSession.open(url)
    yield* listen()
    yield* clock.adjust("1 day")
    assert.strictEqual(textOf(yield* post(echo("x"))), "x")
  })

  test.live("loses a session that is unused for too long, unless a call is under way", function* () {
    const { clock, seen, url } = yield* still()
    const [idle, busy] = [yield* HttpSession.open(url), yield* HttpSession.open(url)]
    yield* idle.post(echo("x"))
    const call = yield* busy.begin(stay)
    // The client is connected by another connection, and only the call is under way.
    yield* busy.post(echo("y"))
    call.response.destroy()
    yield* call.ended
    yield* busy.post(echo("z"))
    yield* clock.adjust("31 minutes")
    yield* TestServer.eventually(() => seen.clients === 1)
    assert.strictEqual((yield* idle.post(echo("x"))).status, 404)
    assert.deepStrictEqual([seen.working, seen.interrupted], [1, 0])
  })
})
