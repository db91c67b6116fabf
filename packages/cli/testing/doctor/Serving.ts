/** Servers over HTTP with the answers of a test. */
import { createServer, type RequestListener } from "node:http"
import * as Effect from "effect/Effect"
import { listen } from "../../../sdk-client/testing/HttpServer.ts"

/** A server at a port of its own, until the Scope ends. */
export const serving = Effect.fnUntraced(function* (listener: RequestListener) {
  const server = createServer(listener)
  const { port } = yield* listen(server)
  return { server, origin: `http://127.0.0.1:${port}` }
})

/** @param status what it answers every request with */
export const refusing = (status: number) => serving((_, response) => void response.writeHead(status).end("No."))
