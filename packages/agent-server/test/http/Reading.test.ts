import { assert, describe } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Slowly from "../../../tool-server/test/Slowly.ts"
import { test } from "../../../tool-server/test/Test.ts"
import * as Front from "./Front.ts"
import * as RawClient from "./RawClient.ts"
import * as SseClient from "./SseClient.ts"

const mebibyte = 2 ** 20
const events = { experimental: { "zain/events": {} } }

/** More than what an operating system keeps for a connection whose client does not read. */
const flood = "flood 480 65536"

describe("a client that reads (promise 27)", () => {
  test.live.each([4.2, 6, 20])(
    "gets an answer of %d MiB over Streamable HTTP, which stands in it twice",
    function* (size) {
      const { url } = yield* Front.start({ limits: { maxBodyBytes: 64 * mebibyte } })
      const client = yield* Front.session(url)
      const content = "x".repeat(size * mebibyte)
      assert.isTrue(Front.contentOf(yield* client.post(Front.call(`say ${content}`))) === content)
    },
  )

  test.live.each([4.2, 6])("gets an answer of %d MiB over SSE, which stands in it twice", function* (size) {
    const { url } = yield* Front.start({ kind: "sse", limits: { maxBodyBytes: 64 * mebibyte } })
    const { post, stream } = yield* SseClient.session(url)
    const content = "x".repeat(size * mebibyte)
    yield* post(Front.call(`say ${content}`))
    // All of it, in one piece.
    const messages = Front.messages(yield* stream.untilEnd('"id":1}\n\n'))
    const answer = messages.find(({ id }) => id === 1)
    assert.isTrue(answer?.result?.structuredContent?.content === content)
  })

  test.live("gets all events that an agent tells at once", function* () {
    const { url } = yield* Front.start()
    const client = yield* Front.session(url, undefined, events)
    const reply = yield* client.post(Front.call(`flood 99 ${100 * 1024}\nsay done`))
    assert.strictEqual(Front.contentOf(reply), "done")
    assert.isAbove(reply.text.length, 99 * 100 * 1024)
  })

  test.live("gets a long answer to its end however slowly it reads, as long as it reads on", function* () {
    const [patience, size] = [200, 8 * mebibyte]
    const limits = { ...Front.millis({ patience }), maxUnreadBytes: 2 * mebibyte, maxBodyBytes: 64 * mebibyte }
    const { port, url } = yield* Front.start({ limits })
    const { headers } = yield* Front.session(url)
    const { socket, text } = yield* RawClient.connect(port)
    socket.pause()
    const body = Front.call(`say ${"x".repeat(size)}`)
    const head = { ...headers, host: `localhost:${port}`, "content-length": body.length }
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`)
    const begin = performance.now()
    socket.write(["POST /mcp HTTP/1.1", ...lines, "", body].join("\r\n"))
    // Nothing leaves for it for longer than that, again and again.
    const stop = Slowly.read(socket)
    // The answer stands in it twice.
    const has = (bytes: number) =>
      Effect.repeat(Effect.sleep("20 millis"), { until: () => text().length > bytes || socket.destroyed })
    yield* has(2 * size - mebibyte)
    stop()
    socket.resume()
    yield* has(2 * size)
    assert.isAbove(text().length, 2 * size)
    assert.isAbove(performance.now() - begin, 6 * patience)
  })

  test.live("gets everything when it was busy with something else for a while", function* () {
    const { seen, url } = yield* Front.start({ limits: { maxUnreadBytes: 4 * mebibyte } })
    const client = yield* Front.session(url, undefined, events)
    const turn = yield* client.begin(Front.call(`${flood}\nask now\nsay done`))
    turn.pause()
    // What it does meanwhile: the server has written everything by the end of this turn.
    assert.strictEqual(Front.contentOf(yield* client.post(Front.call(`${flood}\nsay x`, 2))), "x")
    turn.resume()
    assert.match(String(Front.contentOf({ text: yield* turn.ended })), /done$/)
    assert.strictEqual(seen.interrupted.length, 0)
  })
})

const kinds = ["http", "sse"] as const

/** A client whose turn has begun, and that reads nothing of it. */
const deaf = (kind: (typeof kinds)[number], url: string, prompt: string) =>
  Effect.gen(function* () {
    if (kind === "http") {
      const client = yield* Front.session(url, undefined, events)
      const turn = yield* client.begin(Front.call(prompt))
      turn.pause()
      return turn
    }
    const { post, stream } = yield* SseClient.session(url)
    stream.pause()
    yield* post(Front.call(prompt, 1, { progressToken: 1 }))
    return stream
  })

/** What a client that reads is answered. */
const said = (kind: (typeof kinds)[number], url: string) =>
  Effect.gen(function* () {
    if (kind === "http") return Front.contentOf(yield* (yield* Front.session(url)).post(Front.call("say x")))
    const { answer, post } = yield* SseClient.session(url)
    yield* post(Front.call("say x"))
    return (yield* answer(1))?.result?.structuredContent?.content
  })

describe("an agent whose client does not read (promise 27)", () => {
  test.live.each(kinds)("is held back until it does, and no other agent is, over %s", function* (kind) {
    const { seen, url } = yield* Front.start({ kind })
    const stream = yield* deaf(kind, url, "pour 480 65536\nsay done")
    yield* RawClient.eventually(() => seen.held > 0)
    const { poured } = seen
    assert.isBelow(poured, 480)
    assert.strictEqual(yield* said(kind, url), "x")
    assert.isBelow(seen.poured, 480)
    stream.resume()
    yield* RawClient.eventually(() => seen.working === 0)
    assert.strictEqual(seen.poured, 480)
    assert.match((yield* stream.until('"structuredContent"')).slice(-1_000), /done/)
  })

  test.live("is held back also when an answer of the client's has the id of its call", function* () {
    const { seen, url } = yield* Front.start()
    const client = yield* Front.session(url, undefined, { ...events, elicitation: {} })
    const turn = yield* client.begin(Front.call("ask now\npour 480 65536\nstay"))
    const question = Front.messages(yield* turn.until("elicitation/create")).find(({ method }) =>
      /elic/.test(method ?? ""),
    )
    turn.pause()
    for (const id of [1, question?.id]) {
      const answer = { jsonrpc: "2.0", id, result: { action: "accept" } }
      assert.strictEqual((yield* client.post(JSON.stringify(answer))).status, 202)
    }
    yield* RawClient.eventually(() => seen.held > 0 || seen.poured === 480)
    assert.isAbove(seen.held, 0)
  })

  test.live.each(kinds)("is interrupted when that has read nothing for too long, over %s", function* (kind) {
    const { seen, url } = yield* Front.start({ kind, limits: Front.millis({ absence: 100, patience: 30 }) })
    yield* deaf(kind, url, "pour 480 65536\nstay")
    yield* RawClient.eventually(() => seen.interrupted.length === 1 && seen.attached === 0)
    assert.isAbove(seen.held, 0)
  })
})

describe("a client over SSE that does not read (promise 27)", () => {
  test.live("is heard when it cancels, and with what it asks once it reads", function* () {
    const { seen, url } = yield* Front.start({ kind: "sse", limits: Front.millis({ patience: 600_000 }) })
    const { post, stream } = yield* SseClient.session(url)
    stream.pause()
    yield* post(Front.call("pour 480 65536\nstay", 1, { progressToken: 1 }))
    yield* RawClient.eventually(() => seen.held > 0)
    const long = `say ${"x".repeat(mebibyte)}`
    const asked = yield* Effect.forkChild(
      Effect.all([post(Front.call("say x", 2)), post(Front.call(long, 3))], { concurrency: 2 }),
    )
    const reply = yield* post(Front.notification("notifications/cancelled", { requestId: 1 }))
    assert.strictEqual(reply.status, 202)
    yield* RawClient.eventually(() => seen.interrupted.length === 1)
    assert.lengthOf(seen.started, 1, "It is asked nothing more.")
    stream.resume()
    for (const { status } of yield* Fiber.join(asked)) assert.strictEqual(status, 202)
    yield* stream.until('"id":2')
    yield* stream.until('"id":3')
  })
})

describe("clients that do not read (promise 27)", () => {
  test.live.each(kinds)(
    "share one budget: the worst of them is let go of, and the others are not, over %s",
    function* (kind) {
      const limits = { ...Front.millis({ absence: 100, patience: 600_000 }), maxUnreadTotalBytes: 40 * mebibyte }
      const { seen, url } = yield* Front.start({ kind, limits })
      const [small, large] = ["flood 256 65536\nstay", "flood 448 65536\nstay"]
      // Each of them leaves less than that, and all together more.
      for (const prompt of [small, large, small]) yield* deaf(kind, url, prompt)
      yield* RawClient.eventually(() => seen.interrupted.length > 0)
      assert.strictEqual(yield* said(kind, url), "x")
      assert.deepStrictEqual(seen.interrupted, [large])
      assert.strictEqual(seen.working, 2)
    },
  )
})

describe("a client that does not read (promise 27)", () => {
  test.live.each(["http", "sse"] as const)(
    "is let go of when it has left too much for too long, over %s",
    function* (kind) {
      const limits = { ...Front.millis({ absence: 100, patience: 30 }), maxUnreadBytes: 2 * mebibyte }
      const { seen, url } = yield* Front.start({ kind, limits })
      if (kind === "http") {
        const client = yield* Front.session(url, undefined, events)
        const turn = yield* client.begin(Front.call(`${flood}\nstay`))
        turn.pause()
      } else {
        const client = yield* SseClient.session(url)
        client.stream.pause()
        yield* client.post(Front.call(`${flood}\nstay`, 1, { progressToken: 1 }))
      }
      yield* RawClient.eventually(() => seen.interrupted.length === 1 && seen.attached === 0)
    },
  )

  test.live(
    "is let go of at once when it leaves far too much: the server's memory does not grow (promise 14)",
    function* () {
      const limits = {
        ...Front.millis({ absence: 100 }),
        patience: Duration.minutes(10),
        maxUnreadTotalBytes: 16 * mebibyte,
      }
      const { seen, url } = yield* Front.start({ limits })
      const client = yield* Front.session(url, undefined, events)
      const other = yield* Front.session(url)
      const before = process.memoryUsage().rss
      const turn = yield* client.begin(Front.call("flood 4000 65536\nstay"))
      turn.pause()
      yield* RawClient.eventually(() => seen.interrupted.length === 1)
      assert.isBelow(process.memoryUsage().rss - before, 200 * mebibyte)
      assert.strictEqual(Front.contentOf(yield* other.post(Front.call("say x", 2))), "x")
    },
  )
})
