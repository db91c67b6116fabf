import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { canListen, endable } from "./Ending.ts"
import * as Messages from "./Messages.ts"
import * as RawSocket from "./RawSocket.ts"
import * as SocketClient from "./SocketClient.ts"
import * as TestServer from "./TestServer.ts"

const { millis } = TestServer

/** In milliseconds. Longer than any test. */
const hour = 3_600_000

const starting = (options?: TestServer.FrontOptions) => endable(TestServer.start(options))

describe("strangers (promise 29)", () => {
  it.live("take all connections, and every client that comes has its place", () =>
    Effect.gen(function* () {
      const limits = { maxSockets: 8, maxSessions: 4 }
      const { port, url } = yield* TestServer.start({ limits, tokens: ["the-token"] })
      const options = { headers: { authorization: "Bearer the-token" } }
      const stays = yield* SocketClient.session(url, options)
      let ended = 0
      const come: Effect.Effect<never> = Effect.scoped(
        Effect.gen(function* () {
          yield* (yield* RawSocket.connect(port)).closed
          ended++
        }),
      ).pipe(Effect.forever)
      yield* Effect.forEach(Array.from({ length: 24 }), () => Effect.forkScoped(come))
      yield* TestServer.eventually(() => ended > 48)
      for (let client = 0; client < 20; client++) yield* Effect.scoped(SocketClient.session(url, options))
      assert.isDefined((yield* stays.ask(Messages.request(1, "ping"), 1)).result)
    }),
  )
})

describe("a client with a WebSocket", () => {
  it.live("may be the official SDK's (LoopSmith 1)", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer.start()
      const client = new Client({ name: "sdk", version: "0" })
      yield* Effect.acquireRelease(
        Effect.promise(() => client.connect(new WebSocketClientTransport(new URL(url)))),
        () => Effect.promise(() => client.close()),
      )
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.strictEqual(tools.length, 5)
      const result = yield* Effect.promise(() => client.callTool({ name: "echo", arguments: { text: "é✓" } }))
      assert.deepStrictEqual(result.content, [{ type: "text", text: "é✓" }])
      yield* Effect.promise(() => client.ping())
    }),
  )

  it.live("never gets what another is told, though both use the same ids (promise 28, LoopSmith 9)", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* TestServer.start()
      const clients = yield* Effect.forEach(["a", "b", "c"], (name) =>
        Effect.map(SocketClient.session(url), (client) => ({ client, name })),
      )
      for (const { client } of clients) client.socket.send(Messages.call(0, "stay"))
      yield* TestServer.eventually(() => seen.working === clients.length)
      for (let id = 1; id <= 50; id++) {
        for (const { client, name } of clients) client.socket.send(Messages.call(id, "echo", { text: `${name}${id}` }))
      }
      for (const { client, name } of clients) {
        yield* client.answer(50)
        const texts = client.heard.filter(({ id }) => typeof id === "number").map(Messages.textOf)
        assert.deepStrictEqual(
          texts,
          Array.from({ length: 50 }, (_, at) => `${name}${at + 1}`),
        )
      }
      // One client's cancellation is no other's.
      clients[0]?.client.socket.send(Messages.notification("notifications/cancelled", { requestId: 0 }))
      yield* TestServer.eventually(() => seen.interrupted === 1)
      assert.strictEqual(seen.working, clients.length - 1)
    }),
  )

  it.live.each([
    ["closes it", ({ socket }) => socket.close(1000)],
    ["is killed", ({ socket }) => socket.terminate()],
    ["breaks the protocol", ({ socket }) => socket.send(Buffer.of(1))],
  ] as ReadonlyArray<[string, (client: SocketClient.SocketClient) => void]>)(
    "that %s ends its own calls at once, and nobody else's (LoopSmith 9)",
    ([_, leave]) =>
      Effect.gen(function* () {
        const { seen, url } = yield* TestServer.start()
        const [gone, stays] = [yield* SocketClient.session(url), yield* SocketClient.session(url)]
        for (const { socket } of [gone, stays]) socket.send(Messages.call(1, "stay"))
        yield* TestServer.eventually(() => seen.working === 2)
        leave(gone)
        yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 1)
        assert.isDefined((yield* stays.ask(Messages.request(2, "ping"), 2)).result)
      }),
  )

  it.live("is not forgotten while it is there, however long it says nothing (promise 29)", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer.start({
        limits: millis({ sessionIdle: 50, keepAlive: 1_000, headersTimeout: 1_500, requestTimeout: 1_500 }),
      })
      const client = yield* SocketClient.session(url)
      let pings = 0
      client.socket.on("ping", () => pings++)
      yield* TestServer.eventually(() => pings === 2)
      assert.isDefined((yield* client.ask(Messages.request(1, "ping"), 1)).result)
    }),
  )

  it.live("that no longer answers is taken to be gone, and its calls end (promise 30)", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* TestServer.start({ limits: millis({ keepAlive: 1_000 }) })
      const client = yield* SocketClient.session(url, { autoPong: false })
      client.socket.send(Messages.call(1, "stay"))
      assert.deepInclude(yield* client.closed, { code: 1006 })
      yield* TestServer.eventually(() => seen.interrupted === 1 && seen.clients === 0)
    }),
  )

  it.live.each([
    ["nothing", []],
    ["only pings", [Messages.request(1, "ping")]],
    ["what is no initialize", [Messages.request(1, "initialize", { protocolVersion: 1 }), Messages.request(1, "ping")]],
  ])("and says %s in it at first is let go of: 1008 (promise 29)", ([_, texts]) =>
    Effect.gen(function* () {
      const { url } = yield* TestServer.start({ limits: millis({ headersTimeout: 2_000, requestTimeout: 2_000 }) })
      const other = yield* SocketClient.session(url)
      const client = yield* SocketClient.open(url)
      for (const text of texts as ReadonlyArray<string>) client.socket.send(text)
      assert.deepStrictEqual(yield* client.closed, { code: 1008, reason: "No session has begun." })
      assert.isDefined((yield* other.ask(Messages.request(1, "ping"), 1)).result)
    }),
  )

  it.live("that is slow to ask for it is let go of (promise 29)", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.start({ limits: millis({ headersTimeout: 200 }) })
      const raw = yield* RawSocket.connect(port, "GET /mcp HTTP/1.1\r\nUpgrade: websocket\r\nX-Slow: ")
      assert.match(yield* raw.closed, /^HTTP\/1\.1 408/)
    }),
  )
})

describe("a server with WebSockets", () => {
  it.live("has 256 clients and no more: the next gets 503, until one goes (promise 29)", () =>
    Effect.gen(function* () {
      const { url } = yield* TestServer.start()
      const tries = yield* Effect.forEach(Array.from({ length: 300 }), () => Effect.result(SocketClient.session(url)), {
        concurrency: 16,
      })
      const [first, ...open] = tries.flatMap((tried) => (tried._tag === "Success" ? [tried.success] : []))
      const refused = tries.flatMap((tried) => (tried._tag === "Failure" ? [tried.failure] : []))
      assert.deepStrictEqual([open.length, refused.length], [255, 44])
      for (const { headers, status } of refused) assert.deepStrictEqual([status, headers["retry-after"]], [503, "5"])
      assert.isDefined((yield* open[0]?.ask(Messages.request(1, "ping"), 1) ?? Effect.die("none")).result)
      first?.socket.terminate()
      yield* Effect.retry(SocketClient.session(url), Schedule.spaced("10 millis"))
    }),
  )

  it.live("has so many connections and no more, and those that it has go on (promise 29)", () =>
    Effect.gen(function* () {
      const { port, url } = yield* TestServer.start({ limits: { maxSockets: 4 } })
      const client = yield* SocketClient.session(url)
      const others = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => RawSocket.connect(port))
      assert.strictEqual(yield* Effect.raceAll(others.map(({ closed }) => closed)), "")
      assert.isDefined((yield* client.ask(Messages.request(1, "ping"), 1)).result)
    }),
  )

  it.live("that ends answers its calls, closes their sockets with 1001, and frees its port (promise 30)", () =>
    Effect.gen(function* () {
      const { end, port, seen, url } = yield* starting()
      const client = yield* SocketClient.session(url)
      client.socket.send(Messages.call(1, "stay"))
      yield* TestServer.eventually(() => seen.working === 1)
      yield* end
      assert.deepStrictEqual(yield* client.closed, { code: 1001, reason: "This server is ending." })
      assert.isTrue((yield* client.answer(1)).result?.isError)
      assert.deepStrictEqual([seen.working, seen.clients, seen.interrupted], [0, 0, 1])
      assert.isTrue(yield* canListen(port))
    }),
  )

  it.live("that ends gives what it has said the time to leave (promise 30)", () =>
    Effect.gen(function* () {
      const { end, seen, url } = yield* starting({ limits: millis({ shutdown: hour }) })
      const client = yield* SocketClient.session(url)
      client.socket.pause()
      client.socket.send(Messages.call(1, "flood", { bytes: 16 * 2 ** 20 }))
      yield* TestServer.eventually(() => seen.clients === 1 && seen.working === 0)
      const ending = yield* Effect.forkScoped(end)
      client.socket.resume()
      yield* Fiber.join(ending)
      assert.strictEqual(Messages.textOf(yield* client.answer(1))?.length, 16 * 2 ** 20)
      assert.deepInclude(yield* client.closed, { code: 1001 })
    }),
  )

  it.live("that ends does not wait long for sockets that are half open, half asked for, or not read (promise 30)", () =>
    Effect.gen(function* () {
      const none = { headersTimeout: hour, requestTimeout: hour, keepAlive: hour, patience: hour }
      const { end, port, seen, url } = yield* starting({ limits: millis({ ...none, shutdown: 300 }) })
      const half = yield* Effect.forEach(["", "GET /mcp HT", RawSocket.opening(port).slice(0, 60)], (text) =>
        RawSocket.connect(port, text),
      )
      // It hears that the server closes, and says nothing to that.
      const mute = yield* RawSocket.upgraded(port)
      mute.socket.write(RawSocket.frame("text", Messages.initialize))
      const ended = yield* RawSocket.upgraded(port)
      ended.socket.write(RawSocket.frame("close"))
      const cut = yield* RawSocket.upgraded(port)
      cut.socket.write(RawSocket.frame("text", "x", { length: 1_000 }))
      const deaf = yield* SocketClient.session(url)
      deaf.socket.pause()
      deaf.socket.send(Messages.call(1, "flood", { bytes: 16 * 2 ** 20 }))
      yield* TestServer.eventually(() => seen.clients === 1)
      yield* end
      assert.isTrue(yield* canListen(port))
      yield* Effect.forEach([...half, mute, ended, cut], ({ closed }) => closed)
    }),
  )

  it.live("has twice as many connections as sessions when it is given more of those (promise 29)", () =>
    Effect.gen(function* () {
      const { port, url } = yield* TestServer.start({ limits: { maxSessions: 300 } })
      const others = yield* Effect.forEach(Array.from({ length: 590 }), () => RawSocket.connect(port))
      const client = yield* SocketClient.session(url)
      assert.isDefined((yield* client.ask(Messages.request(1, "ping"), 1)).result)
      assert.isTrue(others.every(({ socket }) => !socket.destroyed))
    }),
  )

  it.live("takes nobody while it ends: 503, and nobody after (promise 30)", () =>
    Effect.gen(function* () {
      const { end, port, url } = yield* starting({ limits: millis({ shutdown: hour }) })
      const client = yield* SocketClient.session(url)
      // What it has not read keeps the server from being over.
      client.socket.send(Messages.call(1, "flood", { bytes: 16 * 2 ** 20 }))
      client.socket.pause()
      const busy = yield* SocketClient.session(url)
      busy.socket.send(Messages.call(1, "stay"))
      const late = yield* RawSocket.connect(port, RawSocket.opening(port).slice(0, 60))
      yield* busy.ask(Messages.request(2, "ping"), 2)
      const ending = yield* Effect.forkScoped(end)
      yield* busy.answer(1)
      late.socket.write(RawSocket.opening(port).slice(60))
      assert.match(yield* late.closed, /^HTTP\/1\.1 503 .*about to end/s)
      client.socket.resume()
      yield* Fiber.join(ending)
      const refused = yield* Effect.flip(SocketClient.open(url))
      assert.match(refused.text, /ECONNREFUSED/)
    }),
  )
})
