/** Clients that read slowly, late, or not at all, over each transport that listens (promise 27). */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Doors from "../../testing/Doors.ts"
import { kinds } from "../../testing/http/Openings.ts"
import * as TestServer from "../../testing/TestServer.ts"

const mebibyte = 2 ** 20
const ping = (client: Doors.Client, id: number) => Doors.ask(client, Messages.request(id, "ping"), id)
const flood = (id: number, bytes: number) => Messages.call(id, "flood", { bytes })

/** More than the operating system buffers for a connection whose client does not read. */
const much = { pieces: 480, bytes: 65_536 }

/** The progress notifications of a client. */
const progressOf = ({ heard }: Doors.Client) => heard.filter(({ method }) => method === "notifications/progress")

/** A client that reads nothing of its call. */
const deaf = (url: string, text: string) =>
  Effect.tap(Doors.session(url), (client) =>
    Effect.sync(() => {
      client.pause()
      client.say(text)
    }),
  )

describe.each(kinds)("a client that reads over %s", (kind) => {
  test.live("receives an answer that is larger than what may be unread", function* () {
    const { url } = yield* TestServer.start({ kind })
    const client = yield* Doors.session(url)
    const bytes = 9 * mebibyte
    const answer = yield* Doors.ask(client, flood(1, bytes), 1)
    assert.strictEqual(Messages.textOf(answer)?.length, bytes)
  })

  test.live("receives every message sent at once", function* () {
    const { url } = yield* TestServer.start({ kind })
    const client = yield* Doors.session(url)
    const answer = yield* Doors.ask(client, Messages.call(1, "pour", { pieces: 480, bytes: 8_192, unpaced: true }), 1)
    assert.strictEqual(Messages.textOf(answer), "done")
    assert.lengthOf(progressOf(client), 480)
  })

  test.live("receives every message after a pause, and is read again", function* () {
    const { seen, url } = yield* TestServer.start({ kind, limits: { maxUnreadBytes: mebibyte } })
    const client = yield* deaf(url, flood(1, 4 * mebibyte))
    for (const id of [2, 3]) client.say(flood(id, 4 * mebibyte))
    yield* TestServer.eventually(() => seen.clients === 1 && seen.working === 0)
    yield* Effect.sleep("100 millis")
    client.resume()
    for (const id of [1, 2, 3]) {
      assert.strictEqual(Messages.textOf(yield* Doors.answer(client, id))?.length, 4 * mebibyte)
    }
    assert.isDefined((yield* ping(client, 4)).result)
    assert.strictEqual(seen.interrupted, 0)
  })

  test.live("slowly and steadily receives a long answer completely, and is read again", function* () {
    const [patience, size] = [200, 16 * mebibyte]
    const limits = { ...TestServer.millis({ patience, keepAlive: 5 * patience }), maxUnreadBytes: 2 * mebibyte }
    const { seen, url } = yield* TestServer.start({ kind, limits })
    const begin = performance.now()
    const client = yield* deaf(url, flood(1, size))
    yield* TestServer.eventually(() => seen.clients === 1 && seen.working === 0)
    yield* Effect.sleep("50 millis")
    // No data leaves for longer than that, repeatedly.
    const stop = client.slowly()
    yield* TestServer.eventually(() => performance.now() - begin > 16 * patience)
    assert.isUndefined(client.heard.find(({ id }) => id === 1))
    stop()
    client.resume()
    assert.strictEqual(Messages.textOf(yield* Doors.answer(client, 1))?.length, size)
    assert.isDefined((yield* ping(client, 2)).result)
  })
})

describe.each(kinds)("a call whose client does not read, over %s (promise 27)", (kind) => {
  test.live("is paused until it does, and no other call is", function* () {
    const { seen, url } = yield* TestServer.start({ kind })
    const client = yield* deaf(url, Messages.call(0, "pour", much))
    yield* TestServer.eventually(() => seen.held > 0)
    const other = yield* Doors.session(url)
    assert.isDefined((yield* ping(other, 1)).result)
    assert.isBelow(seen.poured, 480)
    client.resume()
    assert.strictEqual(Messages.textOf(yield* Doors.answer(client, 0)), "done")
    assert.strictEqual(seen.poured, 480)
    assert.lengthOf(progressOf(client), 480)
  })

  test.live.each([
    ["its agent is paused", { unpaced: false }],
    ["too much is unread", { unpaced: true }],
  ] as const)("ends after its client has read nothing for too long: %s", function* ([_, pace]) {
    const limits = { ...TestServer.millis({ absence: 100, patience: 30, shutdown: 200 }), maxUnreadBytes: 2 * mebibyte }
    const { seen, url } = yield* TestServer.start({ kind, limits })
    yield* deaf(url, Messages.call(1, "pour", { ...much, ...pace, stays: true }))
    yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 0)
    assert.strictEqual(seen.held > 0, !pace.unpaced)
  })

  test.live("ends immediately when far too much is unread: the memory is bounded (promise 14)", function* () {
    const limits = { ...TestServer.millis({ absence: 100, patience: 600_000 }), maxUnreadTotalBytes: 16 * mebibyte }
    const { seen, url } = yield* TestServer.start({ kind, limits })
    const other = yield* Doors.session(url)
    const before = process.memoryUsage().rss
    yield* deaf(url, Messages.call(1, "pour", { pieces: 4_000, bytes: 65_536, unpaced: true, stays: true }))
    yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 0)
    assert.isBelow(process.memoryUsage().rss - before, 200 * mebibyte)
    assert.isDefined((yield* ping(other, 1)).result)
  })
})

describe.each(kinds)("clients that do not read, over %s (promise 27)", (kind) => {
  test.live(
    "share one budget: the one with the most unread data is disconnected, and the others are not",
    function* () {
      const limits = { ...TestServer.millis({ absence: 100, patience: 600_000 }), maxUnreadTotalBytes: 40 * mebibyte }
      const { seen, url } = yield* TestServer.start({ kind, limits })
      // Each leaves less than the limit unread, and all together more.
      const sizes = [16, 28, 16]
      const clients = yield* Effect.forEach(sizes, (size) =>
        deaf(url, Messages.call(1, "pour", { pieces: size, bytes: mebibyte, unpaced: true, stays: true })),
      )
      yield* TestServer.eventually(() => seen.interrupted > 0)
      assert.isDefined((yield* ping(yield* Doors.session(url), 1)).result)
      for (const client of clients) client.resume()
      yield* TestServer.eventually(() => clients[1]?.isOver() === true)
      assert.deepStrictEqual([seen.interrupted, seen.working], [1, 2])
      for (const at of [0, 2]) {
        yield* TestServer.eventually(() => progressOf(clients[at] as Doors.Client).length === sizes[at])
      }
    },
  )
})
