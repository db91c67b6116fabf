import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import type * as JsonBounds from "@zain/process/JsonBounds"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as SseFramer from "../src/http/SseFramer.ts"
import { inWords } from "../testing/AgentWire.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { client } from "../testing/Server.ts"
import * as SseServer from "./SseServer.ts"
import { until } from "./Until.ts"

/** A server whose stream sends this endpoint, and a client of it. */
const start = Effect.fnUntraced(function* (endpoint: string) {
  const server = yield* SseServer.start(undefined, endpoint)
  const adapter = yield* client
  const open = adapter.openSession(McpConnectionConfig.sse({ url: server.url, connectTimeout: "4 minutes" }))
  return { adapter, open, server, streams: server.streams }
})

describe("a session over HTTP with server-sent events (MCP 2024-11-05, transports)", () => {
  test.live("posts to the endpoint of its stream, and closes the stream at its end", function* () {
    const { adapter, open, server, streams } = yield* start("/messages?id=1")
    const id = yield* open
    assert.strictEqual((yield* adapter.execute(id, { content: "echo" })).content, "well")
    yield* adapter.closeSession(id)
    assert.deepStrictEqual(
      server.asked.map(({ body, headers, path }) => [body.method, path, headers["mcp-protocol-version"]]),
      [
        [undefined, "/mcp", undefined],
        ["initialize", "/messages?id=1", undefined],
        ["notifications/initialized", "/messages?id=1", "2025-11-25"],
        ["tools/call", "/messages?id=1", "2025-11-25"],
      ],
    )
    yield* Effect.promise(() => until(() => streams.map(({ closed }) => closed), [true]))
  })

  test.live("fails to open with a compressed stream, whose size is unknown (promise 14)", function* () {
    const server = yield* HttpServer.start((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).flushHeaders()
      return true
    })
    const adapter = yield* client
    const error = yield* Effect.flip(adapter.openSession(McpConnectionConfig.sse({ url: server.url })))
    assert.strictEqual(inWords(error), "ConnectionUnavailable not-an-mcp-server not-sent")
    assert.include(error.message, "compressed")
  })
})

/** The calls of a framer's listener for a text in pieces of this size. */
const frames = (text: string, size: number, limit = 1_000, shape?: JsonBounds.JsonBounds) => {
  const calls: Array<string> = []
  const listener: SseFramer.SseListener = {
    event: (type, data) => calls.push(`${type}: ${data}`),
    id: (id) => calls.push(`id ${id}`),
    retry: (millis) => calls.push(`retry ${millis}`),
    oversize: (excess) => calls.push(excess === undefined ? "oversize" : `oversize: ${excess}`),
  }
  const push = SseFramer.make(limit, listener, shape)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size))
  return calls
}

describe("SseFramer (HTML Standard, server-sent events)", () => {
  const stream =
    "\uFEFFretry: 250\ndata: é1\ndata:2\n\n: a comment\n\nevent: other\r\ndata: {}\r\n\r\nid: 7\rdata\r\rid: 8\n\ndata: cut"

  it("parses fields, comments, every line ending and a byte order mark, in chunks of any size", () => {
    for (let size = 1; size <= stream.length + 3; size++) {
      assert.deepStrictEqual(frames(stream, size), [
        "retry 250",
        "message: é1\n2",
        "other: {}",
        "id 7",
        "message: ",
        "id 8",
      ])
    }
  })

  it("reports an event past the limit once, discards it, and parses the next one (promise 14)", () => {
    const big = `data: ${"x".repeat(60)}\ndata: ${"y".repeat(60)}\ndata: z\n\ndata: fine\n\n`
    for (const size of [1, 7, 1_000]) assert.deepStrictEqual(frames(big, size, 100), ["oversize", "message: fine"])
    const line = `data: ${"x".repeat(600)}\n\ndata: fine\n\n`
    for (const size of [1, 7, 1_000]) assert.deepStrictEqual(frames(line, size, 100), ["oversize", "message: fine"])
  })

  const wide = "[],".repeat(1_000)
  it.each([
    ["in one line", `data: [${wide.repeat(400)}1]\n\n`],
    ["in one line after a byte order mark", `\uFEFFdata: [${wide.repeat(400)}1]\n\n`],
    ["in many lines", `data: [\n${`data: ${wide}\n`.repeat(400)}data: 1]\n\n`],
    ["in many lines of one letter", `data: [\n${"data:[\n".repeat(600_000)}\n`],
    ["in a long line after a short one", `data: [\ndata: ${wide.repeat(400)}1]\n\n`],
  ])("reports an event whose JSON exceeds the bounds %s, and parses the next one (promise 14)", (_, text) => {
    const shape = { maxDepth: 10_000, maxElements: 100_000 }
    const calls = frames(`data: fine\n\n${text}data: fine\n\n`, 65_536, 64 * 1024 * 1024, shape)
    assert.match(calls.join(), /^message: fine,oversize: (depth|elements),message: fine$/)
  })
})
