/** Valid but unusual HTTP responses. */
import type { ServerResponse } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Stream } from "effect"
import * as SseFramer from "../src/http/SseFramer.ts"
import * as SdkMcpClient from "../src/SdkMcpClient.ts"
import { inWords } from "../testing/AgentWire.ts"
import * as HttpServer from "../testing/HttpServer.ts"
import { client, throwing } from "../testing/Server.ts"

const answerTo = (asked: HttpServer.Asked, text: string) =>
  HttpServer.message(asked, { result: HttpServer.result(text) })

const json = (response: ServerResponse, body: string) =>
  response.writeHead(200, { "content-type": "application/json" }).end(body)

/** That many requests, one event each. */
const pings = (count: number) =>
  Array.from({ length: count }, (_, id) => `data: ${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n\n`).join(
    "",
  )

/** Longer than the client reads an error response, in milliseconds. */
const later = 400

describe("a response with messages after its answer", () => {
  test.live("adds no event to the next turn (promise 2)", function* () {
    let first: ServerResponse | undefined
    const { adapter, ask, id } = yield* HttpServer.session((asked, response) => {
      if (!HttpServer.isCall(asked)) return undefined
      const note = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 7 } }
      if (first === undefined) {
        first = response
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`data: ${answerTo(asked, "one")}\n\n`)
      } else {
        first.write(`data: ${JSON.stringify(note)}\n\n`, () =>
          setTimeout(() => json(response, answerTo(asked, "two")), 50),
        )
      }
      return true
    })
    assert.strictEqual((yield* ask("echo")).content, "one")
    const reader = yield* Effect.forkChild(Stream.runCollect(Stream.take(adapter.events(id), 2)), {
      startImmediately: true,
    })
    assert.strictEqual((yield* ask("echo")).content, "two")
    assert.deepStrictEqual(
      (yield* Fiber.join(reader)).map(({ _tag }) => _tag),
      ["TurnStarted", "TurnCompleted"],
    )
  })
})

describe("notifications and answers of the client", () => {
  test.live("use at most four connections, even if the server does not end its responses (promise 14)", function* () {
    let max = 0
    let held = 0
    let answer = () => {}
    const { ask } = yield* HttpServer.session((asked, response) => {
      if (HttpServer.isCall(asked)) {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(pings(40))
        answer = () => void response.end(`data: ${answerTo(asked, "asked enough")}\n\n`)
        return true
      }
      if (asked.method !== "POST" || asked.body.method !== undefined) return undefined
      max = Math.max(max, ++held)
      // A fifth connection would arrive in this time.
      if (max === 1) setTimeout(answer, 300)
      response.on("close", () => held--)
      response.writeHead(202).write("never the end")
      return true
    })
    assert.strictEqual((yield* ask("echo")).content, "asked enough")
    assert.isAtMost(max, 4)
  })

  test.live("do not delay the last message of the handshake", function* () {
    const { server } = yield* HttpServer.session((asked, response) => {
      if (asked.method === "POST" && asked.body.method === undefined) {
        setTimeout(() => response.writeHead(202).end(), later)
        return true
      }
      if (asked.body.method !== "initialize") return undefined
      response.writeHead(200, { "content-type": "text/event-stream" }).write(pings(1_100))
      setTimeout(() => response.end(`data: ${HttpServer.message(asked, { result: HttpServer.initialized })}\n\n`), 100)
      return true
    })
    assert.strictEqual(server.asked.filter(({ body }) => body.method === "notifications/initialized").length, 1)
  })
})

describe("a session's id", () => {
  test.live("is sent once per request, also if the resumed answer to initialize repeats it (promise 22)", function* () {
    let initialize: HttpServer.Asked | undefined
    const type = { "content-type": "text/event-stream", "mcp-session-id": "session-1" }
    const { ask, server } = yield* HttpServer.session((asked, response) => {
      if (asked.body.method === "initialize") {
        initialize = asked
        response.writeHead(200, type).end("retry: 100\nid: 1\ndata:\n\n")
        return true
      }
      if (asked.method !== "GET" || initialize === undefined) return undefined
      response
        .writeHead(200, type)
        .end(`data: ${HttpServer.message(initialize, { result: HttpServer.initialized })}\n\n`)
      return true
    })
    yield* ask("echo")
    assert.strictEqual(server.asked.find(HttpServer.isCall)?.headers["mcp-session-id"], "session-1")
  })

  test.live("is deleted also after a profile has thrown, which ends the session (promise 7)", function* () {
    const server = yield* HttpServer.start()
    const adapter = yield* SdkMcpClient.make(throwing)
    const id = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ url: server.url }))
    for (const delivery of ["unknown", "not-sent"]) {
      const error = yield* Effect.flip(adapter.execute(id, { content: "x" }))
      assert.strictEqual(inWords(error), `ConnectionUnavailable protocol-violation ${delivery}`)
    }
    yield* adapter.closeSession(id)
    assert.strictEqual(server.asked.at(-1)?.method, "DELETE")
  })
})

describe("a secret in a server's message (promise 19)", () => {
  const key = "abc+def/=secret"
  const inQuery = "abc%2Bdef%3D%3Dxyz"
  test.live.each([
    ["URL-encoded", encodeURIComponent(key)],
    ["base64-encoded", Buffer.from(key).toString("base64")],
    ["escaped as JSON", key.replaceAll("/", "\\/")],
    ["encoded as in the URL's query", inQuery],
  ] as const)("is redacted when it is %s", function* ([, said]) {
    const server = yield* HttpServer.start((_, response) => {
      response.writeHead(403, { "content-type": "text/plain" }).end(`no entry for ${said}`)
      return true
    })
    const url = `${server.url}?api_key=${inQuery}`
    const config = McpConnectionConfig.streamableHttp({ url, bearerToken: key })
    const { message } = yield* Effect.flip((yield* client).openSession(config))
    assert.notInclude(message, said.slice(0, 9))
    assert.include(message, "no entry for <redacted>")
  })
})

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

/** The size of the reachable heap, in bytes. */
const kept = () => {
  collect()
  return process.memoryUsage().heapUsed
}

describe("events of many short lines (promise 14)", () => {
  it("use memory in proportion to their size", () => {
    let length = 0
    const push = SseFramer.make(64 * 1024 * 1024, {
      event: (_, data) => {
        length = data.length
      },
      id: () => {},
      retry: () => {},
      oversize: () => {},
    })
    const lines = 4_000_000
    const before = kept()
    const chunk = Buffer.from("data\n".repeat(lines / 100))
    for (let part = 0; part < 100; part++) push(chunk)
    const growth = kept() - before
    push(Buffer.from("\n"))
    assert.strictEqual(length, lines - 1)
    // One array slot per line takes eight bytes, without its string.
    assert.isBelow(growth, lines * 6)
  })
})
