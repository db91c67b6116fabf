/**
 * Shuts a server down: its sessions, the responses under way, its connections, and its port.
 *
 * @see docs/internals/promises.md, 30
 */
import type { Server, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type { Connections } from "./Connections.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpTransport } from "./HttpRequestContext.ts"

/**
 * Watches the responses of a server.
 *
 * @returns an effect that ends the sessions, waits up to `limits.shutdown` for responses under way, and closes every
 *   connection and the port
 */
export const make = (
  http: Server,
  connections: Pick<Connections, "all">,
  transport: Pick<HttpTransport, "endAll">,
  limits: Pick<HttpLimits, "shutdown">,
): Effect.Effect<void> => {
  const busy = new Set<ServerResponse>()
  http.on("request", (_, response) => {
    busy.add(response)
    response.once("close", () => busy.delete(response))
  })
  // Incomplete requests are not waited for.
  const waiting = () => [...busy].filter(({ req }) => req.complete)
  const flushed = Effect.callback<void>((resume) => {
    const over = () => {
      if (waiting().length === 0) resume(Effect.void)
    }
    for (const response of waiting()) response.once("close", over)
    over()
  })
  return Effect.gen(function* () {
    // It would also close connections with unsent responses.
    http.closeIdleConnections = () => {}
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    yield* transport.endAll
    yield* Effect.timeoutOption(Effect.interruptible(flushed), limits.shutdown)
    for (const socket of connections.all) socket.destroy()
    yield* Effect.promise(() => closed)
  })
}
