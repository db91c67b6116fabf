/** How large a message may be, over each transport that listens. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { test } from "../../../core/test/Test.ts"
import * as Doors from "../Doors.ts"
import * as Messages from "../Messages.ts"
import * as TestServer from "../TestServer.ts"
import { kinds } from "./Openings.ts"

const mebibyte = 2 ** 20
const tooLong = { http: 413, sse: 413, ws: 1009 } as const
const busy = { http: /503.*Retry-After: 1\r\n/s, sse: /503.*Retry-After: 1\r\n/s, ws: /\u00f5/ } as const

describe.each(kinds)("a message over %s (promise 27)", (kind) => {
  test.live("may have 4 MiB, and one byte more is refused to its client alone", function* () {
    const { url } = yield* TestServer.start({ kind })
    const [other, client] = [yield* Doors.session(url), yield* Doors.session(url)]
    assert.isDefined((yield* Doors.ask(client, Messages.sized(4 * mebibyte), 1)).result)
    client.say(Messages.sized(4 * mebibyte + 1))
    const words = "A message may have 4194304 bytes, and this one has more."
    assert.strictEqual(yield* Doors.refusal(client), `${tooLong[kind]} ${words}`)
    assert.isDefined((yield* Doors.ask(other, Messages.request(2, "ping"), 2)).result)
  })

  test.live("that says that it is long is not waited for", function* () {
    const { url } = yield* TestServer.start({ kind, limits: { maxBodyBytes: mebibyte } })
    const { closed } = yield* (yield* Doors.session(url)).begin(1)
    assert.include(yield* closed, "A message may have 1048576 bytes, and this one has more.")
  })

  test.live("names nothing by more than its server says", function* () {
    const { url } = yield* TestServer.start({ kind, limits: { maxNameBytes: 10 } })
    const client = yield* Doors.session(url)
    const call = (id: string, progressToken: string | number) =>
      Messages.request(id, "tools/call", { name: "echo", arguments: {}, _meta: { progressToken } })
    for (const text of [call("12345678901", 1), call("1", "12345678901")]) client.say(text)
    assert.isDefined((yield* Doors.ask(client, call("1234567890", "1234567890"), "1234567890")).result)
    const words = ["`id`", "`params._meta.progressToken`"].map(
      (name) => `${name} takes at most 10 bytes, and has more.`,
    )
    assert.deepStrictEqual(
      client.heard.flatMap(({ error }) => error?.message ?? []),
      words,
    )
    const refusals = kind === "ws" ? [] : words.map((told) => `400 ${told}`)
    assert.deepStrictEqual(client.refusals, refusals)
  })

  test.live("that is not whole makes room for later ones, unless it is small", function* () {
    const { url } = yield* TestServer.start({ kind, limits: { maxIncomingBytes: mebibyte } })
    const client = yield* Doors.session(url)
    const [small, first, later] = [
      yield* client.begin(60_000),
      yield* client.begin(700_000),
      yield* client.begin(700_000),
    ]
    const refused = yield* Effect.raceFirst(first.closed, later.closed)
    assert.match(refused, busy[kind])
    assert.include(refused, "This server receives as much as it can at once.")
    assert.isDefined((yield* Doors.ask(client, Messages.sized(200_000), 1)).result)
    assert.isFalse(small.socket.readableEnded)
    assert.notStrictEqual(first.socket.readableEnded, later.socket.readableEnded)
  })
})
