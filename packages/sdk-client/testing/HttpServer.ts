/** A server on a free local port that answers as the test defines, and records its requests. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Server, Socket } from "node:net"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as Effect from "effect/Effect"
import { client } from "./Server.ts"

/** One request, as it arrived. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: { readonly id?: string | number; readonly method?: string; readonly params?: Record<string, unknown> }
}

/** Answers one request; `undefined` if the healthy server is to answer it. */
export type Answer = (asked: Asked, response: ServerResponse) => true | undefined

/** Whether a request calls a tool. */
export const isCall = ({ body }: Asked) => body.method === "tools/call"

/** The result of initialize. */
export const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "test", version: "1" },
}

/** A tool's result. */
export const result = (text: string) => ({ content: [{ type: "text", text }] })

/** The message that answers a request. */
export const message = (asked: Asked, outcome: object) =>
  JSON.stringify({ jsonrpc: "2.0", id: asked.body.id, ...outcome })

/** Answers with one event stream, from its beginning to its end. */
export const events = (response: ServerResponse, ...lines: ReadonlyArray<string>) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(`${lines.join("\n")}\n\n`)
}

const healthy = (asked: Asked, response: ServerResponse) => {
  if (asked.method === "DELETE") return response.writeHead(204).end()
  if (asked.method !== "POST") return response.writeHead(405).end()
  if (asked.body.id === undefined) return response.writeHead(202).end()
  const isInitialize = asked.body.method === "initialize"
  if (isInitialize && !response.hasHeader("mcp-session-id")) response.setHeader("mcp-session-id", "session-1")
  response.setHeader("content-type", "application/json")
  return response.end(message(asked, { result: isInitialize ? initialized : result("well") }))
}

/** A request handler that reads, records and answers a request. */
export const handle =
  (answer: Answer = () => undefined, note: (asked: Asked) => void = () => {}) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString()
      const { headers, method = "", url: path = "" } = request
      const asked: Asked = { method, path, headers, body: text === "" ? {} : JSON.parse(text) }
      note(asked)
      if (answer(asked, response) === undefined) healthy(asked, response)
    })
  }

/**
 * Listens until the Scope closes.
 *
 * - `sockets`: the open connections; `left`: returns when there are none
 * - `stop`: closes the server and its connections
 */
export const listen = (server: Server, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket
          .on("error", () => {})
          .on("close", () => {
            sockets.delete(socket)
            server.emit("left")
          })
      })
      await once(server.listen(0, host), "listening")
      const left = async () => {
        while (sockets.size > 0) await once(server, "left")
      }
      const stop = () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
      return { port: (server.address() as AddressInfo).port, sockets, left: Effect.promise(left), stop }
    }),
    ({ stop }) => Effect.sync(stop),
  )

/** `asked`: the requests so far; `open`: the number of open connections */
export const start = Effect.fnUntraced(function* (answer?: Answer) {
  const asked: Array<Asked> = []
  const { left, port, sockets, stop } = yield* listen(createServer(handle(answer, (one) => asked.push(one))))
  return { url: `http://127.0.0.1:${port}/mcp`, asked, open: () => sockets.size, left, stop }
})

/** A server, a client and one open session. */
export const session = Effect.fnUntraced(function* (
  answer?: Answer,
  options: Omit<McpConnectionConfig.HttpOptions, "url"> = {},
) {
  const server = yield* start(answer)
  const adapter = yield* client
  const id = yield* adapter.openSession(McpConnectionConfig.streamableHttp({ ...options, url: server.url }))
  return { server, adapter, id, ask: (content: string) => adapter.execute(id, { content }) }
})
