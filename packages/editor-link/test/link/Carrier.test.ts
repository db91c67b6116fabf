import type { Socket } from "node:net"
import { assert, describe } from "@effect/vitest"
import { listening } from "@zain/testkit/Listening"
import { eventually } from "@zain/testkit/RawSocket"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type { Framing } from "../../src/domain/EditorProfile.ts"
import * as FakeConnection from "../../src/fake/FakeConnection.ts"
import * as Carrier from "../../src/infrastructure/link/Carrier.ts"
import * as ContentLength from "../../src/infrastructure/link/ContentLength.ts"
import * as LengthPrefix from "../../src/infrastructure/link/LengthPrefix.ts"

/** A carrier to a port, and what it found, in order. */
const connector = (port: number, framing: Framing, maxFrame = 1024) => {
  const found: Array<readonly [kind: string, ...what: ReadonlyArray<unknown>]> = []
  const carrier = Carrier.tcp(
    { title: "Unity", startAdvice: "Start it.", framing },
    { host: "127.0.0.1", port },
    maxFrame,
  )({
    message: (message) => found.push(["message", message]),
    oversize: (beginning, what) => found.push(["oversize", beginning.length, what]),
    noise: (sample) => found.push(["noise", sample]),
    ended: (seen) => found.push(["ended", seen]),
  })
  return { carrier, found }
}

/** A peer that writes these bytes when it is connected to; what a carrier found in them, in order. */
const begin = Effect.fnUntraced(function* (framing: Framing, bytes: Buffer, maxFrame = 1024) {
  const sockets: Array<Socket> = []
  const port = yield* listening((socket) => {
    sockets.push(socket.on("error", () => {}))
    socket.write(bytes)
  })
  const { carrier, found } = connector(port, framing, maxFrame)
  return {
    connected: carrier,
    found,
    write: (text: string) => sockets[0]?.write(text, "latin1"),
    end: () => sockets[0]?.end(),
  }
})
const loop = (body: string) => Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`)
const nullAfterFour = Buffer.from("\0\0\0\u0004null")

describe("a connection", () => {
  test.each([
    [
      "what no frame follows (editors 000.9)",
      loop("null"),
      ContentLength.framing,
      "this is garbage",
      'no header: "this is garbage"',
    ],
    [
      "a stray line whose end does not come (editors 004.11)",
      nullAfterFour,
      LengthPrefix.framing,
      "[Unity] a line",
      '"[Unity] a line"',
    ],
  ] as const)("ends half a second after %s, and says what that was", function* ([, frame, framing, garbage, seen]) {
    const { connected, found } = yield* begin(framing, Buffer.concat([frame, Buffer.from(garbage)]))
    yield* connected
    yield* eventually(() => found.length > 0)
    yield* TestClock.adjust(499)
    for (let turn = 0; turn < 3; turn++) yield* FakeConnection.turn
    assert.deepStrictEqual(found, [["message", null]])
    yield* TestClock.adjust(1)
    yield* eventually(() => found.length > 1)
    assert.deepStrictEqual(found.at(-1), ["ended", seen])
  })

  test("stays when a frame follows, however long its body takes (editors 000.9)", function* () {
    const bytes = Buffer.from("a line of a log\nContent-Length: 4\r\n\r\nnu")
    const { connected, found, write } = yield* begin(ContentLength.framing, bytes)
    yield* connected
    yield* eventually(() => found.length > 0)
    yield* TestClock.adjust("1 hour")
    write("ll")
    yield* eventually(() => found.length > 1)
    assert.deepStrictEqual(found, [
      ["noise", '"a line of a log"'],
      ["message", null],
    ])
  })

  test.each([
    ["contentLength", ContentLength.framing, "Content-Length: 900\r\n\r\nnull", 900],
    ["lengthPrefix", LengthPrefix.framing, "\0\0\u0003\u0084null", 900],
    ["contentLength, over the limit", ContentLength.framing, "Content-Length: 9000\r\n\r\nnull", 9_000],
  ] as const)(
    "of %s is ended when asked while a frame is not whole, and not otherwise",
    function* ([, framing, bytes, size]) {
      const { connected, found, write } = yield* begin(framing, framing.encode("null"))
      const { endIfPartial } = yield* connected
      yield* eventually(() => found.length > 0)
      assert.isFalse(endIfPartial())
      write(bytes)
      yield* eventually(endIfPartial)
      const seen = `a frame of ${size} bytes that did not arrive whole before a call timed out`
      assert.deepStrictEqual(found, [
        ["message", null],
        ["ended", seen],
      ])
      assert.isFalse(endIfPartial())
    },
  )

  test("that ends behind text of another protocol says what it saw (editors 000.21)", function* () {
    const bytes = Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")
    const { connected, end, found } = yield* begin(ContentLength.framing, bytes)
    yield* connected
    end()
    yield* eventually(() => found.some(([kind]) => kind === "ended"))
    assert.deepStrictEqual(found.at(-1), ["ended", 'no header: "HTTP/1.1 400 Bad Request"'])
  })

  test.each([
    ["256 levels deep", `${"[".repeat(256)}${"]".repeat(256)}`, "message"],
    ["257 levels deep", `${"[".repeat(257)}${"]".repeat(257)}`, "oversize"],
    ["of 2,000,000 values", `[0${",0".repeat(1_999_999)}]`, "message"],
    ["of 2,000,001 values", `[0${",0".repeat(2_000_000)}]`, "oversize"],
    ["of as many bytes as the limit", `"${"x".repeat(8_388_606)}"`, "message"],
    ["of one byte more than the limit", `"${"x".repeat(8_388_607)}"`, "oversize"],
  ] as const)("takes a message %s as it should, and the next one (editors 000.8)", function* ([, body, kind]) {
    const bytes = Buffer.concat([loop(body), Buffer.from("Content-Length: 4\r\n\r\nnull")])
    const { connected, found } = yield* begin(ContentLength.framing, bytes, 8_388_608)
    yield* connected
    yield* eventually(() => found.length > 1)
    assert.deepStrictEqual([found[0]?.[0], found[1]], [kind, ["message", null]])
  })
})
