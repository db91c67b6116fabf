/** Servers close idle connections at any time, also while the next request is written. */
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as HttpServer from "../testing/HttpServer.ts"
import { client } from "../testing/Server.ts"

/** The requests that a connection has carried, and its socket. */
interface Connection {
  readonly socket: Socket
  readonly requests: Array<string>
}

/** A non-loopback address of this machine; empty if there is none. */
const outside =
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? ""

const nameOf = ({ body, method }: HttpServer.Asked) => body.method ?? method

/**
 * A server that controls its connections.
 *
 * @param arrived called when a complete request has arrived, before it is read; `false` closes the connection
 * @param answered called when a response was sent
 */
const start = Effect.fnUntraced(function* (
  arrived: (connection: Connection) => boolean,
  answered: (connection: Connection) => void = () => {},
) {
  const asked: Array<string> = []
  const connections = new Map<Socket, Connection>()
  const server = createServer((request, response) => {
    const { socket } = request
    const connection = connections.get(socket) ?? { socket, requests: [] }
    connections.set(socket, connection)
    response.on("finish", () => answered(connection))
    HttpServer.handle((one) => {
      connection.requests.push(nameOf(one))
      if (arrived(connection)) {
        asked.push(nameOf(one))
        return undefined
      }
      socket.resetAndDestroy()
      return true
    })(request, response)
  })
  const { port } = yield* HttpServer.listen(server, "0.0.0.0")
  return { url: `http://127.0.0.1:${port}/mcp`, asked }
})

const open = Effect.fnUntraced(function* (url: string) {
  const adapter = yield* client
  const id = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ url }))
  return { ask: Effect.map(adapter.execute(id, { content: "echo" }), ({ content }) => content), adapter, id }
})

const calls = (asked: ReadonlyArray<string>) => asked.filter((name) => name === "tools/call").length

describe("an idle connection that the server ends (promise 3)", () => {
  test.live("immediately after each response fails no turn, and each prompt arrives once", function* () {
    const server = yield* start(
      () => true,
      ({ socket }) => socket.end(),
    )
    const { ask } = yield* open(server.url)
    for (let turn = 1; turn <= 50; turn++) {
      assert.strictEqual(yield* ask, "well")
      assert.strictEqual(calls(server.asked), turn)
    }
  })

  it.live.runIf(outside !== "")("at a non-loopback address makes each later prompt use a new connection", () =>
    Effect.gen(function* () {
      const sockets = new Set<Socket>()
      const server = yield* start(
        ({ requests, socket }) => {
          if (requests.at(-1) === "tools/call") sockets.add(socket)
          return true
        },
        ({ requests, socket }) => {
          if (requests.at(-1) === "initialize") socket.end()
        },
      )
      const { ask } = yield* open(server.url.replace("127.0.0.1", outside))
      yield* ask
      sockets.clear()
      for (let turn = 0; turn < 3; turn++) yield* ask
      assert.strictEqual(sockets.size, 3)
    }),
  )

  test.live("while the next request is written fails no turn, and each prompt is read once", function* () {
    const server = yield* start(({ requests }) => requests.length === 1)
    const { ask } = yield* open(server.url)
    for (let turn = 1; turn <= 5; turn++) {
      // A connection is not idle immediately after a response.
      yield* Effect.sleep("60 millis")
      assert.strictEqual(yield* ask, "well")
      assert.strictEqual(calls(server.asked), turn)
    }
  })

  test.live("does not prevent the DELETE of the session", function* () {
    const server = yield* start(({ requests }) => requests.length === 1)
    const { adapter, ask, id } = yield* open(server.url)
    yield* ask
    yield* adapter.closeSession(id)
    assert.strictEqual(server.asked.at(-1), "DELETE")
  })

  test.live("never makes the client send a prompt twice, or another request three times", function* () {
    const seen: Array<string> = []
    const server = yield* start(({ requests }) => {
      const name = requests.at(-1) ?? ""
      seen.push(name)
      return name !== "tools/call" && name !== "DELETE"
    })
    const { adapter, ask, id } = yield* open(server.url)
    const error = yield* Effect.flip(ask)
    assert.deepStrictEqual([error.reason, error.delivery], ["connection-lost", "unknown"])
    yield* adapter.closeSession(id)
    assert.deepStrictEqual(
      seen.filter((name) => name === "tools/call" || name === "DELETE"),
      ["tools/call", "DELETE", "DELETE"],
    )
  })
})

describe("consecutive prompts", () => {
  test.live("share a connection, which stays open between turns for servers that require one", function* () {
    const sockets = new Set<Socket>()
    const server = yield* start(({ requests, socket }) => {
      if (requests.at(-1) === "tools/call") sockets.add(socket)
      return true
    })
    const { ask } = yield* open(server.url)
    for (let turn = 0; turn < 20; turn++) yield* ask
    assert.isAtMost(sockets.size, 5)
    assert.deepStrictEqual([...sockets].filter(({ destroyed }) => !destroyed).length, 1)
  })
})
