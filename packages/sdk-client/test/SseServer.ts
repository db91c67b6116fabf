/** A server of the older transport on a free port: one stream of events, and POSTs that are answered on it. */
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as HttpServer from "./HttpServer.ts"

const initialized = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "test", version: "1" },
}

/**
 * `drop`: breaks the stream off.
 *
 * @param answer answers a message that was accepted, or leaves it to the healthy server; `tell` writes on the stream
 */
export const start = (
  answer: (asked: HttpServer.Asked, response: ServerResponse, tell: (data: string) => void) => true | undefined = () =>
    undefined,
) =>
  Effect.suspend(() => {
    let stream: ServerResponse | undefined
    const tell = (data: string) => void stream?.write(`data: ${data}\n\n`)
    const start = HttpServer.start((asked, response) => {
      if (asked.method === "GET") {
        stream = response
        response.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /messages\n\n")
        return true
      }
      response.writeHead(202).end()
      if (answer(asked, response, tell) !== undefined || asked.body.id === undefined) return true
      const result = asked.body.method === "initialize" ? initialized : HttpServer.result("well")
      tell(HttpServer.message(asked, { result }))
      return true
    })
    return Effect.map(start, (server) => ({ ...server, drop: () => void stream?.destroy() }))
  })
