import { assert, describe } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import * as Messages from "@zain/testkit/Messages"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as SocketClient from "../testing/SocketClient.ts"
import * as TestServer from "../testing/TestServer.ts"

const { millis } = TestServer

describe("a client with a WebSocket", () => {
  test.live("may be the official SDK's (LoopSmith 1)", function* () {
    const { url } = yield* TestServer.start()
    const client = new Client({ name: "sdk", version: "0" })
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect(new WebSocketClientTransport(new URL(url)))),
      () => Effect.promise(() => client.close()),
    )
    const { tools } = yield* Effect.promise(() => client.listTools())
    assert.strictEqual(tools.length, 7)
    const result = yield* Effect.promise(() => client.callTool({ name: "echo", arguments: { text: "é✓" } }))
    assert.deepStrictEqual(result.content, [{ type: "text", text: "é✓" }])
    yield* Effect.promise(() => client.ping())
  })

  test.live.each([
    ["closes it", ({ socket }) => socket.close(1000)],
    ["violates the protocol", ({ socket }) => socket.send(Buffer.of(1))],
  ] as ReadonlyArray<[string, (client: SocketClient.SocketClient) => void]>)(
    "that %s ends its own calls immediately, and no other client's (LoopSmith 9)",
    function* ([_, leave]) {
      const { seen, url } = yield* TestServer.start()
      const [gone, stays] = [yield* SocketClient.session(url), yield* SocketClient.session(url)]
      for (const { socket } of [gone, stays]) socket.send(Messages.call(1, "stay"))
      yield* TestServer.eventually(() => seen.working === 2)
      leave(gone)
      yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 1)
      assert.isDefined((yield* stays.ask(Messages.request(2, "ping"), 2)).result)
    },
  )

  test.live("keeps its session while it is connected, however long it is silent (promise 29)", function* () {
    const { url } = yield* TestServer.start({
      limits: millis({ sessionIdle: 50, keepAlive: 1_000, headersTimeout: 1_500, requestTimeout: 1_500 }),
    })
    const client = yield* SocketClient.session(url)
    let pings = 0
    client.socket.on("ping", () => pings++)
    yield* TestServer.eventually(() => pings === 2)
    assert.isDefined((yield* client.ask(Messages.request(1, "ping"), 1)).result)
  })

  test.live("that no longer answers pings is disconnected, and its calls end (promise 30)", function* () {
    const { seen, url } = yield* TestServer.start({ limits: millis({ keepAlive: 1_000 }) })
    const client = yield* SocketClient.session(url, { autoPong: false })
    client.socket.send(Messages.call(1, "stay"))
    assert.deepInclude(yield* client.closed, { code: 1006 })
    yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 0)
  })

  test.live.each([
    ["nothing", []],
    ["only pings", [Messages.request(1, "ping")]],
    ["an invalid initialize", [Messages.request(1, "initialize", { protocolVersion: 1 }), Messages.request(1, "ping")]],
  ])("that sends %s at first is disconnected: 1008 (promise 29)", function* ([_, texts]) {
    const { url } = yield* TestServer.start({ limits: millis({ headersTimeout: 2_000, requestTimeout: 2_000 }) })
    const other = yield* SocketClient.session(url)
    const client = yield* SocketClient.open(url)
    for (const text of texts as ReadonlyArray<string>) client.socket.send(text)
    assert.deepStrictEqual(yield* client.closed, { code: 1008, reason: "No session was initialized in time." })
    assert.isDefined((yield* other.ask(Messages.request(1, "ping"), 1)).result)
  })
})
