import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"
import { session } from "./SseClient.ts"

const mine = "token-of-the-first-one"
const theirs = "token-of-the-second-one"

describe("a session over HTTP with server-sent events (MCP 2024-11-05)", () => {
  test.live("takes messages at an address of 128 random bits, and answers on its stream (promise 21)", function* () {
    const { url } = yield* Front.start({ kind: "sse" })
    const { answer, path, post } = yield* session(url)
    assert.match(path, /^\/message\?session=[0-9a-f]{32}/)
    assert.strictEqual((yield* post(Front.call("say hello"))).status, 202)
    assert.strictEqual((yield* answer(1))?.result?.structuredContent?.content, "hello")
  })

  test.live("ends with its stream, at once: its turn is interrupted, its address is none any more", function* () {
    // Its clock stands still: no limit has to pass.
    const { seen, url } = yield* Front.still({ kind: "sse" })
    const [client, other] = [yield* session(url), yield* session(url)]
    yield* client.post(Front.call("stay"))
    yield* RawClient.eventually(() => seen.working === 1)
    client.stream.destroy()
    yield* RawClient.eventually(() => seen.interrupted.length === 1 && seen.attached === 0)
    assert.strictEqual((yield* client.post(Front.call("say x"))).status, 404)
    yield* other.post(Front.call("say y"))
    assert.strictEqual((yield* other.answer(1))?.result?.structuredContent?.content, "y")
  })

  test.live("is its principal's alone, and answers go to nobody else (promises 26 and 28)", function* () {
    const { url } = yield* Front.start({ kind: "sse", tokens: [mine, theirs] })
    const [client, other] = [yield* session(url, mine), yield* session(url, theirs)]
    const stolen = { path: client.path, headers: other.headers, body: Front.call("say stolen", 9) }
    assert.strictEqual((yield* other.raw.send(stolen)).status, 404)
    yield* Effect.all([client.post(Front.call("say a")), other.post(Front.call("say b"))], { concurrency: 2 })
    assert.strictEqual((yield* client.answer(1))?.result?.structuredContent?.content, "a")
    assert.strictEqual((yield* other.answer(1))?.result?.structuredContent?.content, "b")
    assert.notInclude(client.stream.text() + other.stream.text(), "stolen")
  })

  test.live("refuses messages that are none, and other methods and paths (promise 27)", function* () {
    const { url } = yield* Front.start({ kind: "sse", tokens: [mine] })
    const { headers, path, post, raw } = yield* session(url, mine)
    const body = Front.call("say x")
    const status = (asked: RawClient.Asked) => Effect.map(raw.send(asked), (reply) => reply.status)
    assert.strictEqual((yield* post(`[${body}]`)).status, 400)
    assert.strictEqual((yield* post("{}")).status, 400)
    assert.strictEqual((yield* post(`{"x":"${"x".repeat(4 * 2 ** 20)}"}`)).status, 413)
    assert.strictEqual(yield* status({ method: "POST", headers, body }), 405)
    assert.strictEqual(yield* status({ method: "GET", path, headers }), 405)
    assert.strictEqual(yield* status({ path: "/mcp", headers, body }), 404)
  })

  test.live("says that it is there", function* () {
    const { url } = yield* Front.start({ kind: "sse", limits: Front.millis({ keepAlive: 20 }) })
    const client = yield* session(url)
    yield* client.stream.until(": keepalive")
  })

  test.live("lasts as long as its stream, however little is said on it (promise 29)", function* () {
    const { clock, url } = yield* Front.still({ kind: "sse" })
    const client = yield* session(url)
    yield* clock.adjust("1 day")
    yield* client.post(Front.call("say x"))
    assert.strictEqual((yield* client.answer(1))?.result?.structuredContent?.content, "x")
  })

  test.live("is refused beyond the number that there may be (promise 29)", function* () {
    const { url } = yield* Front.start({ kind: "sse", limits: { maxSessions: 1 } })
    yield* session(url)
    const raw = yield* RawClient.make(url)
    assert.strictEqual((yield* raw.send({ headers: Front.json })).status, 503)
  })
})
