import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as Openings from "../testing/http/Openings.ts"
import * as RawSocket from "../testing/RawSocket.ts"
import * as SocketClient from "../testing/SocketClient.ts"
import * as TestServer from "../testing/TestServer.ts"

const mebibyte = 2 ** 20
const { frame } = RawSocket

describe("a message over a WebSocket (promise 27)", () => {
  test.live("may be sent in fragments, with pings between them", function* () {
    const { port } = yield* TestServer.start()
    const raw = yield* Openings.upgraded(port)
    const text = Buffer.from(Messages.request("é✓", "ping"))
    const pieces = [...text].map((byte, at) => frame(at === 0 ? "text" : "more", Buffer.of(byte), { fin: false }))
    raw.socket.write(Buffer.concat([...pieces.flatMap((piece) => [piece, frame("ping")]), frame("more")]))
    yield* TestServer.eventually(() => Buffer.from(raw.text(), "latin1").toString().includes('"id":"é✓"'))
  })

  test.live.each([
    ["that are empty", "", 1008],
    ["of one byte", "x", 1008],
    ["that exceed its limit", "x".repeat(65_536), 1009],
  ] as ReadonlyArray<[string, string, number]>)("must not have endless fragments %s: %d", function* ([_, piece, code]) {
    const { port } = yield* TestServer.start()
    const raw = yield* Openings.upgraded(port)
    raw.socket.write(frame("text", piece, { fin: false }))
    const more = frame("more", piece, { fin: false })
    const flood = Buffer.concat(Array.from({ length: 64 }, () => more))
    const write = () => {
      while (!raw.socket.destroyed && raw.socket.write(flood)) {}
    }
    raw.socket.on("drain", write)
    write()
    const { code: given, reason } = RawSocket.closing(yield* raw.closed) ?? {}
    raw.socket.destroy()
    assert.strictEqual(given, code)
    assert.match(String(reason), /^The message .*\.$/)
  })

  test.live("must be text: 1003", function* () {
    const { url } = yield* TestServer.start()
    const client = yield* SocketClient.session(url)
    client.socket.send(Buffer.from(Messages.request(1, "ping")))
    assert.deepStrictEqual(yield* client.closed, { code: 1003, reason: "A message must be a text frame." })
  })

  test.live.each([
    ["a byte that is never UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["half a character", Buffer.from([0x22, 0xe2, 0x9c, 0x22])],
    ["half a pair of surrogates", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])("must be UTF-8 without %s: 1007", function* ([_, bytes]) {
    const { port } = yield* TestServer.start()
    const raw = yield* Openings.upgraded(port)
    raw.socket.write(frame("text", bytes as Buffer))
    assert.deepStrictEqual(RawSocket.closing(yield* raw.closed), { code: 1007, reason: "A message must be UTF-8." })
  })

  test.live.each([
    ["without a mask", Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ["with an unknown opcode", Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ["that continues no message", frame("more", "x"), 1002],
    ["that is a fragmented ping", frame("ping", "x", { fin: false }), 1002],
    ["with a length of a tebibyte", frame("text", "x", { length: 2 ** 40 }), 1009],
    ["with a negative length", Buffer.from([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 1009],
  ] as ReadonlyArray<[string, Buffer, number]>)("must not be a frame %s", function* ([_, bytes, code]) {
    const { port, url } = yield* TestServer.start()
    const other = yield* SocketClient.session(url)
    const raw = yield* Openings.upgraded(port)
    raw.socket.write(bytes)
    assert.strictEqual(RawSocket.closing(yield* raw.closed)?.code, code)
    assert.isDefined((yield* other.ask(Messages.request(1, "ping"), 1)).result)
  })
})

describe("a client that floods (promise 27)", () => {
  test.live.each([
    ["invalid messages", "{"],
    ["notifications", Messages.notification("notifications/unknown", { x: "y".repeat(1_000) })],
    ["requests", Messages.request(1, "ping", { x: "y".repeat(1_000) })],
    ["requests whose answers are long", Messages.call(1, "flood", { bytes: 16_384 })],
  ])("with %s and reads nothing uses no unbounded memory, and blocks no other client", function* ([_, text]) {
    const limits = { ...TestServer.millis({ patience: 600_000 }), maxUnreadBytes: mebibyte }
    const { port, url } = yield* TestServer.start({ limits })
    const other = yield* SocketClient.session(url)
    const raw = yield* Openings.upgraded(port)
    raw.socket.write(frame("text", Messages.initialize))
    yield* TestServer.eventually(() => raw.text().includes('"serverInfo"'))
    raw.socket.pause()
    const before = kept()
    const flood = Buffer.concat(Array.from({ length: 256 }, () => frame("text", String(text))))
    let left = 64 * mebibyte
    const write = () => {
      while (left > 0) {
        left -= flood.length
        if (!raw.socket.write(flood)) return
      }
    }
    raw.socket.on("drain", write)
    write()
    // Until the server has read everything, or has stopped reading.
    let [seen, still] = [-1, 0]
    for (let id = 0; still < 10; id++) {
      const now = raw.socket.bytesWritten - raw.socket.writableLength
      still = now === seen ? still + 1 : 0
      seen = now
      assert.isDefined((yield* other.ask(Messages.request(id, "ping"), id)).result)
      yield* Effect.sleep("100 millis")
    }
    assert.isBelow(kept() - before, 24 * mebibyte)
    // The server has stopped reading; otherwise it would have disconnected the client.
    assert.isFalse(raw.socket.destroyed)
  })
})

describe("a client that sends many small messages at once", () => {
  test.live("does not block the server while they are answered (promises 15 and 28)", function* () {
    const { port, url } = yield* TestServer.start()
    const other = yield* SocketClient.session(url)
    const raw = yield* Openings.upgraded(port)
    const count = 8_000
    const flood = Buffer.concat([
      ...Array.from({ length: count }, () => frame("text", "{")),
      frame("text", Messages.request("last", "ping")),
    ])
    // Small enough for one TCP segment.
    assert.isBelow(flood.length, 2 ** 16)
    // Messages sent in one turn of the event loop are read in the next one.
    let max = 0
    raw.socket.on("data", (piece: string) => {
      max = Math.max(max, piece.length)
    })
    raw.socket.write(flood)
    yield* TestServer.eventually(() => raw.text().includes('"id":"last"'))
    assert.isBelow(max, 64 * '{"jsonrpc":"2.0","id":null,"error":{}}'.length)
    assert.strictEqual(raw.text().split("-32700").length - 1, count)
    assert.isDefined((yield* other.ask(Messages.request(1, "ping"), 1)).result)
  })
})

/** The bytes in use. */
const kept = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

describe("a client that does not read (promise 27)", () => {
  const flood = (id: number, bytes = 16 * mebibyte) => Messages.call(id, "flood", { bytes })

  test.live("receives the reason when it reads again: 1013", function* () {
    const limits = { ...TestServer.millis({ patience: 30 }), maxUnreadBytes: 2 * mebibyte }
    const { seen, url } = yield* TestServer.start({ limits })
    const client = yield* SocketClient.session(url)
    client.socket.send(Messages.call(1, "stay"))
    yield* TestServer.eventually(() => seen.working === 1)
    client.socket.pause()
    client.socket.send(flood(2))
    yield* TestServer.eventually(() => seen.interrupted === 1)
    client.socket.resume()
    assert.deepStrictEqual(yield* client.closed, { code: 1013, reason: "This client reads too slowly." })
    // The messages sent before arrived all the same.
    assert.strictEqual(Messages.textOf(client.heard.find(({ id }) => id === 2))?.length, 16 * mebibyte)
  })

  test.live(
    "is disconnected although it sends no more requests, and is not read in the meantime (promise 29)",
    function* () {
      const limits = { ...TestServer.millis({ patience: 600_000, keepAlive: 200 }), maxUnreadBytes: mebibyte }
      const { seen, url } = yield* TestServer.start({ limits })
      const client = yield* SocketClient.session(url)
      client.socket.send(Messages.call(1, "stay"))
      yield* TestServer.eventually(() => seen.working === 1)
      client.socket.pause()
      client.socket.send(flood(2, 12 * mebibyte))
      yield* TestServer.eventually(() => seen.clients === 0)
    },
  )
})
