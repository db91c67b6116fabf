/** The size limits of messages, over each transport that listens. */
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Doors from "../../testing/Doors.ts"
import { kinds } from "../../testing/http/Openings.ts"
import * as TestServer from "../../testing/TestServer.ts"

const mebibyte = 2 ** 20
const tooLong = { http: 413, sse: 413, ws: 1009 } as const
const busy = { http: /503.*Retry-After: 1\r\n/s, sse: /503.*Retry-After: 1\r\n/s, ws: /\u00f5/ } as const

describe.each(kinds)("a message over %s (promise 27)", (kind) => {
  test.live("may have 4 MiB; one byte more is rejected, and other clients are not affected", function* () {
    const { url } = yield* TestServer.start({ kind })
    const [other, client] = [yield* Doors.session(url), yield* Doors.session(url)]
    assert.isDefined((yield* Doors.ask(client, Messages.sized(4 * mebibyte), 1)).result)
    client.say(Messages.sized(4 * mebibyte + 1))
    const words = "The message exceeds 4194304 bytes."
    assert.strictEqual(yield* Doors.refusal(client), `${tooLong[kind]} ${words}`)
    assert.isDefined((yield* Doors.ask(other, Messages.request(2, "ping"), 2)).result)
  })

  test.live("that declares a length above the limit is rejected immediately", function* () {
    const { url } = yield* TestServer.start({ kind, limits: { maxBodyBytes: mebibyte } })
    const { closed } = yield* (yield* Doors.session(url)).begin(1)
    assert.include(yield* closed, "The message exceeds 1048576 bytes.")
  })

  test.live("must not have an id or a progress token above the limit", function* () {
    const { url } = yield* TestServer.start({ kind, limits: { maxNameBytes: 10 } })
    const client = yield* Doors.session(url)
    const call = (id: string, progressToken: string | number) =>
      Messages.request(id, "tools/call", { name: "echo", arguments: {}, _meta: { progressToken } })
    for (const text of [call("12345678901", 1), call("1", "12345678901")]) client.say(text)
    assert.isDefined((yield* Doors.ask(client, call("1234567890", "1234567890"), "1234567890")).result)
    const words = ["`id`", "`params._meta.progressToken`"].map((name) => `${name} exceeds 10 bytes.`)
    assert.deepStrictEqual(
      client.heard.flatMap(({ error }) => error?.message ?? []),
      words,
    )
    const refusals = kind === "ws" ? [] : words.map((message) => `400 ${message}`)
    assert.deepStrictEqual(client.refusals, refusals)
  })

  test.live("that is incomplete is rejected in favour of later ones, unless it is small", function* () {
    const { url } = yield* TestServer.start({ kind, limits: { maxIncomingBytes: mebibyte } })
    const client = yield* Doors.session(url)
    const [small, first, later] = [
      yield* client.begin(60_000),
      yield* client.begin(700_000),
      yield* client.begin(700_000),
    ]
    const refused = yield* Effect.raceFirst(first.closed, later.closed)
    assert.match(refused, busy[kind])
    assert.include(refused, "This server is receiving too much data at once.")
    assert.isDefined((yield* Doors.ask(client, Messages.sized(200_000), 1)).result)
    assert.isFalse(small.socket.readableEnded)
    assert.notStrictEqual(first.socket.readableEnded, later.socket.readableEnded)
  })
})
