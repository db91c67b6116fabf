/**
 * The end of a server: of its sessions, of what is under way, of its connections, and of its hold on the port.
 *
 * @see promise 30
 */
import type { Server, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type { Connections } from "./Connections.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpTransport } from "./HttpRequestContext.ts"

/**
 * Watches the answers of a server from now on.
 *
 * @returns ends the sessions, gives answers that are under way `limits.shutdown` to leave, and has closed every connection
 *   and the port
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
  // Who has not asked yet waits for no answer.
  const waiting = () => [...busy].filter(({ req }) => req.complete)
  const flushed = Effect.callback<void>((resume) => {
    const over = () => {
      if (waiting().length === 0) resume(Effect.void)
    }
    for (const response of waiting()) response.once("close", over)
    over()
  })
  return Effect.gen(function* () {
    // It would also end those whose answer is written, and has not left.
    http.closeIdleConnections = () => {}
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    yield* transport.endAll
    yield* Effect.timeoutOption(Effect.interruptible(flushed), limits.shutdown)
    for (const socket of connections.all) socket.destroy()
    yield* Effect.promise(() => closed)
  })
}
