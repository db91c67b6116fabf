/** HTTP with SSE only: a session that is a stream (MCP 2024-11-05). */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import * as RawHttp from "@zain/testkit/RawHttp"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as Openings from "../../testing/http/Openings.ts"
import * as RawSocket from "../../testing/RawSocket.ts"
import * as TestServer from "../../testing/TestServer.ts"
import { echo, messages } from "./HttpSession.ts"

const [mine, theirs] = ["token-of-the-first-one", "token-of-the-second-one"]

/** A client that gives tests every response. */
const session = Effect.fnUntraced(function* (url: string, token?: string) {
  const raw = yield* RawHttp.make(url)
  const headers = { ...RawHttp.json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  const stream = yield* raw.open({ headers })
  const path = /^data: (.*)$/m.exec(yield* stream.until("\n\n"))?.[1] ?? ""
  const post = (body: string) => raw.send({ path, headers, body })
  const answer = (id: number | string) =>
    Effect.map(stream.until(`"id":${JSON.stringify(id)}`), (text) => messages(text).find((one) => one.id === id))
  yield* post(Messages.initialize)
  yield* answer("initialize")
  yield* post(Messages.initialized)
  return { raw, stream, path, post, answer, headers }
})

describe("a session over HTTP with server-sent events", () => {
  test.live("receives messages at a URL with 128 random bits, and answers on its stream (promise 21)", function* () {
    const { answer, path, post } = yield* session((yield* TestServer.start({ kind: "sse" })).url)
    assert.match(path, /^\/message\?session=[0-9a-f]{32}/)
    assert.strictEqual((yield* post(echo("hello"))).status, 202)
    assert.strictEqual(Messages.textOf(yield* answer(1)), "hello")
  })

  test.live("ends immediately with its stream: its call is interrupted, and its URL is unknown", function* () {
    // The clock stands still: no timeout is needed.
    const { seen, url } = yield* TestServer.still({ kind: "sse" })
    const client = yield* session(url)
    yield* client.post(Messages.call(1, "stay"))
    yield* TestServer.eventually(() => seen.working === 1)
    client.stream.response.destroy()
    yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 0)
    assert.strictEqual((yield* client.post(echo("x"))).status, 404)
  })

  test.live(
    "belongs to its principal only (promise 26), and rejects invalid messages, other methods and other paths",
    function* () {
      const { url } = yield* TestServer.start({ kind: "sse", tokens: [mine, theirs] })
      const [client, other] = [yield* session(url, mine), yield* session(url, theirs)]
      const { headers, path } = client
      const body = echo("stolen", 9)
      const rows: ReadonlyArray<readonly [status: number, asked: RawHttp.Asked]> = [
        [404, { path, headers: other.headers, body }],
        [400, { path, headers, body: "{}" }],
        [400, { path, headers, body: `[${body}]` }],
        [405, { method: "POST", headers, body }],
        [405, { method: "GET", path, headers }],
        [404, { path: "/mcp", headers, body }],
      ]
      for (const [status, asked] of rows) assert.strictEqual((yield* client.raw.send(asked)).status, status)
      yield* client.post(echo("a"))
      yield* client.answer(1)
      assert.notInclude(client.stream.text() + other.stream.text(), "stolen")
    },
  )

  test.live("sends keep-alive comments", function* () {
    const { url } = yield* TestServer.start({ kind: "sse", limits: TestServer.millis({ keepAlive: 20 }) })
    const client = yield* session(url)
    assert.match(yield* client.stream.until(": keepalive\n\n"), /\n\n: keepalive\n\n/)
  })

  test.live("lasts as long as its stream, also without messages (promise 29)", function* () {
    const { clock, url } = yield* TestServer.still({ kind: "sse" })
    const client = yield* session(url)
    yield* clock.adjust("1 day")
    yield* client.post(echo("x"))
    assert.strictEqual(Messages.textOf(yield* client.answer(1)), "x")
  })

  test.live(
    "whose client does not read receives its cancellation, and its requests once it reads (promise 27)",
    function* () {
      const limits = { ...TestServer.millis({ patience: 600_000 }), maxIncomingBytes: 2 ** 20 }
      const { port, seen, url } = yield* TestServer.start({ kind: "sse", limits })
      const { path, post, stream } = yield* session(url)
      stream.response.pause()
      // More than the operating system buffers: a call at its client's pace may be paused while the system
      // still accepts data.
      yield* post(Messages.call(1, "pour", { pieces: 480, bytes: 65_536, unpaced: true, stays: true }))
      yield* TestServer.eventually(() => seen.poured === 480)
      const bodies = [echo("x", 2), echo("x".repeat(2 ** 19), 3)]
      const asked = yield* Effect.forEach(bodies, (body) => Effect.forkChild(post(body)))
      const long = { "Content-Type": "application/json", "Content-Length": String(2 ** 20) }
      const parts = yield* Effect.forEach([1, 2], () =>
        RawSocket.connect(port, Openings.text(port, `POST ${path} HTTP/1.1`, long, " ".repeat(700_000))),
      )
      yield* Effect.sleep("50 millis")
      const { status } = yield* post(Messages.notification("notifications/cancelled", { requestId: 1 }))
      assert.strictEqual(status, 202)
      yield* TestServer.eventually(() => seen.interrupted === 1)
      for (const one of asked) assert.isUndefined(one.pollUnsafe(), "It is asked nothing more.")
      for (const { socket, text } of parts) {
        assert.strictEqual(text(), "", "A long message is not read, since it would exceed the budget.")
        socket.destroy()
      }
      stream.response.resume()
      for (const one of asked) assert.strictEqual((yield* Fiber.join(one)).status, 202)
      yield* stream.until('"id":2')
      yield* stream.until('"id":3')
    },
  )
})
