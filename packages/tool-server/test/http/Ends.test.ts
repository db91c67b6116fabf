/** The shutdown of a server, and the end of its clients, over each transport that listens. */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as Doors from "../../testing/Doors.ts"
import * as Openings from "../../testing/http/Openings.ts"
import { kinds } from "../../testing/http/Openings.ts"
import * as RawSocket from "../../testing/RawSocket.ts"
import * as TestServer from "../../testing/TestServer.ts"
import { canListen, endable } from "../Ending.ts"
import * as HttpSession from "./HttpSession.ts"

/** In milliseconds, longer than the test's timeout. */
const hour = 3_600_000

/** The code and reason with which a server that shuts down closes a WebSocket. */
const goodbye = "1001 This server is shutting down."

/** A client that reads nothing of the 16 MiB sent to it. */
const deaf = Effect.fnUntraced(function* (url: string, seen: TestServer.Seen) {
  const client = yield* Doors.session(url)
  client.pause()
  client.say(Messages.call(1, "pour", { pieces: 16, bytes: 2 ** 20, unpaced: true }))
  yield* TestServer.eventually(() => seen.poured === 16)
  return client
})

describe.each(kinds)("a server that shuts down, over %s (promise 30)", (kind) => {
  const starting = (limits: Readonly<Record<string, number>> = {}) =>
    endable(TestServer.start({ kind, limits: TestServer.millis(limits) }))

  test.live("answers its calls with the reason, and releases its port", function* () {
    const { end, port, seen, url } = yield* starting()
    const client = yield* Doors.session(url)
    client.say(Messages.call(1, "stay"))
    yield* TestServer.eventually(() => seen.working === 1)
    yield* end
    assert.isTrue((yield* Doors.answer(client, 1)).result?.isError)
    if (kind === "ws") assert.strictEqual(yield* Doors.refusal(client), goodbye)
    assert.deepStrictEqual([seen.working, seen.clients, seen.interrupted], [0, 0, 1])
    assert.isTrue(yield* canListen(port))
  })

  test.live("waits until sent messages have left", function* () {
    const { end, seen, url } = yield* starting({ shutdown: hour })
    const client = yield* deaf(url, seen)
    const ending = yield* Effect.forkScoped(end)
    client.resume()
    yield* Fiber.join(ending)
    yield* TestServer.eventually(() => client.heard.filter(({ method }) => method !== undefined).length === 16)
    if (kind === "ws") assert.strictEqual(yield* Doors.refusal(client), goodbye)
  })

  test.live("releases its port immediately with incomplete requests and open streams", function* () {
    const { end, port, url } = yield* endable(TestServer.still({ kind }))
    const half = ["", "GET /mcp HT", Openings.opening(kind, port).slice(0, 60), "GET / HTTP/1.1\r\nHost: x\r\n"]
    const raw = yield* Effect.forEach([...half, ""], (text) => RawSocket.connect(port, text))
    raw.at(-1)?.socket.end("GET")
    const client = yield* Doors.session(url)
    if (kind !== "ws") raw.push(yield* client.begin(1))
    const streams = kind === "http" ? [yield* (yield* HttpSession.open(url)).listen()] : []
    // The clock stands still: no timeout is needed.
    yield* end
    assert.isTrue(yield* canListen(port))
    yield* Effect.forEach(raw, ({ closed }) => closed)
    yield* Effect.forEach(streams, ({ ended }) => ended)
    if (kind !== "http") yield* TestServer.eventually(client.isOver)
  })

  test.live("waits only for its timeout for clients that do not read or do not complete their requests", function* () {
    const none = { headersTimeout: hour, requestTimeout: hour, keepAlive: hour, patience: hour }
    const { end, port, seen, url } = yield* starting({ ...none, shutdown: 300 })
    const client = yield* deaf(url, seen)
    const raw = [yield* client.begin(1)]
    if (kind === "ws") {
      // It receives the close frame, and does not answer it.
      const [mute, ended] = [yield* Openings.upgraded(port), yield* Openings.upgraded(port)]
      mute.socket.write(RawSocket.frame("text", Messages.initialize))
      ended.socket.write(RawSocket.frame("close"))
      raw.push(mute, ended)
    }
    yield* end
    assert.isTrue(yield* canListen(port))
    yield* Effect.forEach(raw, ({ closed }) => closed)
  })

  test.live("rejects new clients with 503 during the shutdown, and does not listen afterwards", function* () {
    const { end, port, seen, url } = yield* starting({ shutdown: hour })
    // Its unread data delays the end of the shutdown.
    const client = yield* deaf(url, seen)
    const busy = yield* Doors.session(url)
    busy.say(Messages.call(1, "stay"))
    const opening = Openings.opening(kind, port)
    const late = yield* RawSocket.connect(port, opening.slice(0, 60))
    yield* Doors.ask(busy, Messages.request(2, "ping"), 2)
    const ending = yield* Effect.forkScoped(end)
    yield* Doors.answer(busy, 1)
    late.socket.write(opening.slice(60))
    assert.match(yield* late.closed, /^HTTP\/1\.1 503 .*shutting down/s)
    client.resume()
    yield* Fiber.join(ending)
    assert.strictEqual(yield* (yield* RawSocket.connect(port, opening)).closed, "")
  })
})

describe.each(kinds)("a client over %s", (kind) => {
  test.live(
    "that is killed loses its own calls within 5 s, and no other client's (promise 28, LoopSmith 9)",
    function* () {
      const { clock, seen, url } = yield* TestServer.still({ kind })
      const [gone, stays] = [yield* Doors.session(url), yield* Doors.session(url)]
      for (const client of [gone, stays]) client.say(Messages.call(1, "stay"))
      yield* TestServer.eventually(() => seen.working === 2)
      gone.vanish()
      // The server has handled every earlier event when this request is answered.
      yield* Doors.session(url)
      yield* clock.adjust("5 seconds")
      yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 1)
      assert.isFalse(stays.isOver())
      assert.isDefined((yield* Doors.ask(stays, Messages.request(2, "ping"), 2)).result)
    },
  )

  test.live(
    "never receives another client's messages, although both use the same ids (promise 28, LoopSmith 9)",
    function* () {
      const { seen, url } = yield* TestServer.start({ kind })
      const clients = yield* Effect.forEach(["a", "b", "c"], (name) =>
        Effect.map(Doors.session(url), (client) => ({ client, name })),
      )
      for (const { client } of clients) client.say(Messages.call(0, "stay"))
      yield* TestServer.eventually(() => seen.working === clients.length)
      const ids = Array.from({ length: 50 }, (_, at) => at + 1)
      for (const id of ids) {
        for (const { client, name } of clients) client.say(Messages.call(id, "echo", { text: `${name}${id}` }))
      }
      for (const { client, name } of clients) {
        yield* Effect.forEach(ids, (id) => Doors.answer(client, id))
        const texts = client.heard.flatMap((message) => Messages.textOf(message) ?? [])
        const own = ids.map((id) => `${name}${id}`)
        // Over Streamable HTTP each answer has its own stream.
        assert.sameMembers(texts, own)
        if (kind !== "http") assert.deepStrictEqual(texts, own)
      }
      // A cancellation affects its own client only.
      clients[0]?.client.say(Messages.notification("notifications/cancelled", { requestId: 0 }))
      yield* TestServer.eventually(() => seen.interrupted === 1)
      assert.strictEqual(seen.working, clients.length - 1)
    },
  )

  test.live("is a separate principal by its token, which no one else receives (promise 26)", function* () {
    const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]
    const { seen, url } = yield* TestServer.start({ kind, tokens: [mine, theirs] })
    for (const token of [mine, theirs, mine]) yield* Doors.session(url, token)
    const [first, second, third] = seen.principals
    assert.isString(first)
    assert.strictEqual(third, first)
    assert.notStrictEqual(second, first)
    assert.notInclude(JSON.stringify(seen.principals), "token-of")
  })
})
