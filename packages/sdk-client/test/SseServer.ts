/** A server of HTTP with SSE on a free port: one stream of events, on which POSTs are answered. */
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as HttpServer from "../testing/HttpServer.ts"

/**
 * - `streams`: every requested stream
 *
 * @param endpoint the URL of its `endpoint` event
 * @param answer answers an accepted message, or returns `undefined` for the healthy server; `tell` writes on the stream
 */
export const start = (
  answer: (asked: HttpServer.Asked, response: ServerResponse, tell: (data: string) => void) => true | undefined = () =>
    undefined,
  endpoint = "/messages",
) =>
  Effect.suspend(() => {
    const streams: Array<ServerResponse> = []
    const tell = (data: string) => void streams.at(-1)?.write(`data: ${data}\n\n`)
    const start = HttpServer.start((asked, response) => {
      if (asked.method === "GET") {
        streams.push(response)
        response.writeHead(200, { "content-type": "text/event-stream" }).write(`event: endpoint\ndata: ${endpoint}\n\n`)
        return true
      }
      response.writeHead(202).end()
      if (answer(asked, response, tell) !== undefined || asked.body.id === undefined) return true
      const result = asked.body.method === "initialize" ? HttpServer.initialized : HttpServer.result("well")
      tell(HttpServer.message(asked, { result }))
      return true
    })
    return Effect.map(start, (server) => ({ ...server, streams }))
  })
