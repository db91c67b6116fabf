import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"

describe("a session over Streamable HTTP (MCP 2025-11-25, transports)", () => {
  test.live("answers a call on the call's own stream, and goes on with the thread", function* () {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url)
    const first = Front.answerOf(yield* client.post(Front.call("say hello")))
    assert.strictEqual(first?.result?.structuredContent?.content, "hello")
    const threadId = first?.result?.structuredContent?.threadId
    const second = yield* client.post(Front.call("earlier", 2, {}, threadId))
    assert.strictEqual(Front.contentOf(second), "say hello")
    assert.match(String(second.headers["content-type"]), /^text\/event-stream/)
  })

  test.live("has an id of 128 random bits (promise 21)", function* () {
    const { url } = yield* Front.start()
    const ids = yield* Effect.forEach([1, 2, 3], () => Effect.map(Front.session(url), ({ id }) => id))
    for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/)
    assert.strictEqual(new Set(ids).size, 3)
  })

  test.live(
    "refuses what no session takes: unknown ids, none at all, other methods, other paths, old versions",
    function* () {
      const { url } = yield* Front.start()
      const { headers, raw } = yield* Front.session(url)
      const body = Front.call("say hello")
      const status = (asked: RawClient.Asked) => Effect.map(raw.send(asked), (reply) => reply.status)
      assert.strictEqual(yield* status({ headers: { ...headers, "mcp-session-id": "0".repeat(32) }, body }), 404)
      assert.strictEqual(yield* status({ headers: Front.json, body }), 400)
      assert.strictEqual(yield* status({ headers: Front.json }), 400)
      assert.strictEqual(yield* status({ method: "DELETE", headers: Front.json }), 400)
      assert.strictEqual(yield* status({ method: "PUT", headers, body }), 405)
      assert.strictEqual(yield* status({ headers, body, path: "/other" }), 404)
      assert.strictEqual(yield* status({ headers: { ...headers, "mcp-protocol-version": "1" }, body }), 400)
      assert.strictEqual(yield* status({ headers: { ...headers, accept: "application/json" }, body }), 406)
      assert.strictEqual(yield* status({ headers, body: Front.initialize() }), 400)
      assert.strictEqual(Front.contentOf(yield* raw.send({ headers, body })), "hello")
    },
  )

  test.live("ends with DELETE: its turn is interrupted, its id is unknown, another session goes on", function* () {
    const { seen, url } = yield* Front.start()
    const [client, other] = [yield* Front.session(url), yield* Front.session(url)]
    const turn = yield* client.begin(Front.call("stay"))
    yield* RawClient.eventually(() => seen.working === 1)
    const deleted = yield* client.raw.send({ method: "DELETE", headers: client.headers })
    assert.strictEqual(deleted.status, 200)
    yield* turn.ended
    yield* RawClient.eventually(() => seen.interrupted.length === 1 && seen.attached === 0)
    assert.strictEqual((yield* client.post(Front.call("say x"))).status, 404)
    assert.strictEqual(Front.contentOf(yield* other.post(Front.call("say y"))), "y")
  })

  test.live("ends the stream of a call that is cancelled, and keeps the thread", function* () {
    const { seen, url } = yield* Front.start()
    const client = yield* Front.session(url, undefined, { experimental: { "zain/events": {} } })
    const turn = yield* client.begin(Front.call("stay", 7))
    const started = Front.messages(yield* turn.until("threadId"))
    const meta = started[0]?.params?.["_meta"] as { readonly threadId: string } | undefined
    yield* client.post(Front.notification("notifications/cancelled", { requestId: 7 }))
    assert.isUndefined(Front.answerOf({ text: yield* turn.ended })?.result)
    yield* RawClient.eventually(() => seen.interrupted.length === 1)
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("earlier", 8, {}, meta?.threadId))), "stay")
  })

  test.live("does not begin a call whose cancellation overtakes it on another connection (promise 5)", function* () {
    const { seen, url } = yield* Front.start()
    const client = yield* Front.session(url)
    yield* client.post(Front.notification("notifications/cancelled", { requestId: 7 }))
    const refused = Front.answerOf(yield* client.post(Front.call("stay", 7)))
    assert.deepInclude(refused?.error, { code: -32_800, message: "The call was cancelled." })
    assert.deepInclude(seen, { working: 0, attached: 0 })
    // What is too long for a request is not kept.
    yield* client.post(Front.notification("notifications/cancelled", { requestId: "x".repeat(2_000) }))
    // One that was answered before is another call's.
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say a", 8))), "a")
    yield* client.post(Front.notification("notifications/cancelled", { requestId: 8 }))
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call("say b", 8))), "b")
  })
})

describe("two clients at once (promise 28)", () => {
  test.live("get their own answers to interleaved calls with equal ids", function* () {
    const { url } = yield* Front.start()
    const clients = yield* Effect.forEach([0, 1], () => Front.session(url))
    const contents = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, at) => at),
      (at) =>
        Effect.map(
          (clients[at % 2] as Front.SessionClient).post(Front.call(`say ${at}`, Math.floor(at / 2))),
          (reply) => [Front.answerOf(reply)?.id, Front.contentOf(reply)],
        ),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(
      contents,
      Array.from({ length: 40 }, (_, at) => [Math.floor(at / 2), String(at)]),
    )
  })
})

const events = { experimental: { "zain/events": {} } }

describe("a client whose connection broke (MCP 2025-11-25, resumability)", () => {
  test.live("resumes a turn that goes on, after the event that it had last", function* () {
    const { seen, url } = yield* Front.start()
    const client = yield* Front.session(url, undefined, {
      elicitation: {},
      experimental: { "zain/events": {} },
    })
    const turn = yield* client.begin(Front.call("say one two\nask now\nsay three"))
    const text = yield* turn.until("elicitation/create")
    const ids = Front.eventIds(text)
    const all = Front.messages(text)
    turn.destroy()
    yield* turn.ended
    const asked = all.find(({ method }) => method === "elicitation/create")
    // The first event says only where to begin.
    const again = yield* client.listen(ids[1])
    yield* again.until("elicitation/create")
    assert.deepStrictEqual(Front.messages(again.text()), all.slice(1))
    const answer = JSON.stringify({ jsonrpc: "2.0", id: asked?.id, result: { action: "accept" } })
    assert.strictEqual((yield* client.post(answer)).status, 202)
    const rest = yield* again.until('"result"')
    assert.match(String(Front.contentOf({ text: rest })), /^one two\n.*Approve.*\nthree$/s)
    assert.strictEqual(seen.interrupted.length, 0)
    // Everything once, in order, and nothing of it twice.
    const told = [...Front.eventIds(text).slice(0, 2), ...Front.eventIds(rest)]
    assert.strictEqual(new Set(told).size, told.length)
  })

  test.live("gets the answer of a turn that ended meanwhile, and the end of the stream", function* () {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url)
    const turn = yield* client.begin(Front.call("say done"))
    const [first] = Front.eventIds(yield* turn.ended)
    const again = yield* client.listen(first)
    assert.strictEqual(Front.contentOf({ text: yield* again.ended }), "done")
  })

  test.live("is refused events that are none, or another session's", function* () {
    const { url } = yield* Front.start()
    const [client, other] = [yield* Front.session(url), yield* Front.session(url)]
    const [first] = Front.eventIds((yield* other.post(Front.call("say secret"))).text)
    for (const last of [first, "1-x", "nonsense", "9".repeat(5000)]) {
      const stream = yield* client.listen(last)
      assert.strictEqual(stream.status, 400, last)
      assert.notInclude(yield* stream.ended, "secret")
    }
  })

  test.live("loses the oldest events of a flood, and still gets the answer (promise 14)", function* () {
    const { url } = yield* Front.start({ limits: { maxStoredEvents: 10 } })
    const client = yield* Front.session(url, undefined, { experimental: { "zain/events": {} } })
    const whole = yield* client.post(Front.call("flood 200 10\nsay done"))
    assert.isAbove(Front.messages(whole.text).length, 200)
    const again = yield* client.listen(Front.eventIds(whole.text)[0])
    const text = yield* again.ended
    assert.strictEqual(Front.contentOf({ text }), "done")
    assert.isAtMost(Front.messages(text).length, 10)
  })

  test.live("gets an answer that is larger than all else that is kept", function* () {
    const { url } = yield* Front.start({ limits: { maxStoredBytes: 1_000 } })
    const client = yield* Front.session(url)
    const content = "x".repeat(5_000)
    const [first] = Front.eventIds((yield* client.post(Front.call(`say ${content}`))).text)
    const again = yield* client.listen(first)
    assert.strictEqual(Front.contentOf({ text: yield* again.ended }), content)
  })

  test.live("gets its answer however much other calls of the session have said since", function* () {
    const { url } = yield* Front.start({ limits: { maxStoredEvents: 10 } })
    const client = yield* Front.session(url, undefined, events)
    const [first] = Front.eventIds((yield* client.post(Front.call("say one"))).text)
    yield* client.post(Front.call("flood 200 10", 2))
    const again = yield* client.listen(first)
    assert.strictEqual(Front.contentOf({ text: yield* again.ended }), "one")
  })

  test.live("goes on with a turn however much other calls of the session have said since", function* () {
    const { url } = yield* Front.start({ limits: { maxStoredEvents: 10 } })
    const client = yield* Front.session(url, undefined, { ...events, elicitation: {} })
    const turn = yield* client.begin(Front.call("ask now\nsay three"))
    const text = yield* turn.until("elicitation/create")
    turn.destroy()
    yield* turn.ended
    yield* client.post(Front.call("flood 200 10", 2))
    const again = yield* client.listen(Front.eventIds(text).at(-1))
    assert.strictEqual(again.status, 200)
    const asked = Front.messages(text).find(({ method }) => method === "elicitation/create")
    yield* client.post(JSON.stringify({ jsonrpc: "2.0", id: asked?.id, result: { action: "accept" } }))
    assert.match(String(Front.contentOf({ text: yield* again.ended })), /three$/)
  })

  test.live(
    "gets its answer however much other sessions have been told since, unless it is the largest (promise 14)",
    function* () {
      const { url } = yield* Front.start({ limits: { maxStoredTotalBytes: 40_000 } })
      const kept = yield* Effect.forEach([5_000, 9_000, 8_000], (size, id) =>
        Effect.gen(function* () {
          const client = yield* Front.session(url)
          const [first] = Front.eventIds((yield* client.post(Front.call(`say ${"x".repeat(size)}`, id))).text)
          return client.listen(first)
        }),
      )
      const statuses = yield* Effect.forEach(kept, (again) => Effect.map(again, ({ status }) => status))
      assert.deepStrictEqual(statuses, [200, 400, 200])
    },
  )

  test.live("that has ended keeps nothing, whatever room it took", function* () {
    const { url } = yield* Front.start({ limits: { maxStoredTotalBytes: 20_000 } })
    const client = yield* Front.session(url)
    const [first] = Front.eventIds((yield* client.post(Front.call(`say ${"x".repeat(6_000)}`))).text)
    for (const id of [2, 3, 4]) {
      const other = yield* Front.session(url)
      yield* other.post(Front.call(`say ${"y".repeat(3_000)}`, id))
      yield* other.raw.send({ method: "DELETE", headers: other.headers })
    }
    assert.strictEqual((yield* client.listen(first)).status, 200)
  })

  test.live("misses the oldest answers beyond what is kept, and is told so (promise 14)", function* () {
    const { url } = yield* Front.start({ limits: { maxStoredBytes: 1_000, maxStoredAnswerBytes: 15_000 } })
    const client = yield* Front.session(url)
    const firsts: Array<string | undefined> = []
    for (const id of [1, 2]) {
      const reply = yield* client.post(Front.call(`say ${String(id).repeat(5_000)}`, id))
      firsts.push(Front.eventIds(reply.text)[0])
    }
    assert.strictEqual((yield* client.listen(firsts[0])).status, 400)
    const again = yield* client.listen(firsts[1])
    assert.strictEqual(Front.contentOf({ text: yield* again.ended }), "2".repeat(5_000))
  })
})
