/** A server over HTTP that answers everything with a status. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** @param status what it answers every request with */
export const refusing = (status: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((_, response) => void response.writeHead(status).end("No."))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      }),
  )
