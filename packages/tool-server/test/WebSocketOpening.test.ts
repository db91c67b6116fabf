import { assert, describe } from "@effect/vitest"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import { Effect, Schedule } from "effect"
import * as Openings from "../testing/http/Openings.ts"
import * as RawSocket from "../testing/RawSocket.ts"
import * as SocketClient from "../testing/SocketClient.ts"
import * as TestServer from "../testing/TestServer.ts"

const opening = (port: number, { line, ...headers }: Readonly<Record<string, string | undefined>>) =>
  Openings.opening("ws", port, headers, line)

const wrong: ReadonlyArray<readonly [what: string, headers: Record<string, string | undefined>, status: number]> = [
  ["another path", { line: "GET /other HTTP/1.1" }, 404],
  ["the root", { line: "GET / HTTP/1.1" }, 404],
  ["a longer path", { line: "GET /mcp/more HTTP/1.1" }, 404],
  ["an absolute URL of another host", { line: "GET http://example.org/mcp HTTP/1.1" }, 404],
  ["another method", { line: "POST /mcp HTTP/1.1" }, 426],
  ["another protocol", { Upgrade: "h2c" }, 426],
  ["another version", { "Sec-WebSocket-Version": "8" }, 426],
  ["a missing version", { "Sec-WebSocket-Version": undefined }, 426],
  ["a missing key", { "Sec-WebSocket-Key": undefined }, 400],
  ["a short key", { "Sec-WebSocket-Key": "c2hvcnQ=" }, 400],
  ["an invalid subprotocol", { "Sec-WebSocket-Protocol": "a,,b" }, 400],
]

describe("a WebSocket opens (promise 25, LoopSmith 2)", () => {
  test.live("not with another request, which uses no session", function* () {
    const { port, url } = yield* TestServer.start({ limits: { maxSessions: 1 } })
    for (const [what, headers, status] of wrong) {
      assert.strictEqual((yield* Openings.reply(port, opening(port, headers))).status, status, what)
    }
    yield* Effect.retry(SocketClient.session(url), Schedule.spaced("10 millis"))
  })

  test.live.each(["GET", "POST"])("not with a plain %s, whose response names the upgrade: 426", function* (method) {
    const { url } = yield* TestServer.start()
    const at = url.replace("ws:", "http:")
    const ask = (to: string) =>
      Effect.promise(() => fetch(to, { method, ...(method === "POST" ? { body: Messages.initialize } : {}) }))
    const reply = yield* ask(at)
    assert.deepStrictEqual([reply.status, reply.headers.get("upgrade")], [426, "websocket"])
    assert.strictEqual((yield* ask(at.replace("/mcp", "/other"))).status, 404)
    yield* Effect.promise(() => reply.text())
  })

  test.live.each([
    [["mcp"], "mcp"],
    [["other", "mcp"], "mcp"],
    [[], ""],
  ] as ReadonlyArray<[ReadonlyArray<string>, string]>)("with the subprotocols %j: %j", function* ([offered, chosen]) {
    const { url } = yield* TestServer.start()
    const { socket } = yield* SocketClient.session(url, { offered })
    assert.strictEqual(socket.protocol, chosen)
  })

  test.live("without compression, even if the client offers it (promise 27)", function* () {
    const { port, url } = yield* TestServer.start()
    const { socket } = yield* SocketClient.session(url, { perMessageDeflate: true })
    assert.strictEqual(socket.extensions, "")
    const raw = yield* Openings.upgraded(port, { "Sec-WebSocket-Extensions": "permessage-deflate" })
    assert.notMatch(raw.text(), /extensions/i)
    raw.socket.write(RawSocket.frame("text", "x", { compressed: true }))
    assert.deepInclude(RawSocket.closing(yield* raw.closed), { code: 1002 })
  })
})
