/** Servers over HTTP that answer as a test says. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** A server at a port of its own, until the Scope ends. */
export const serving = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )

/** @param status what it answers every request with */
export const refusing = (status: number) => serving((_, response) => void response.writeHead(status).end("No."))
