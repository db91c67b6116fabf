/**
 * The end of a server: of its sessions, of what is under way, of its connections, and of its hold on the port.
 *
 * @see promise 30
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import type { HttpTransport } from "./Exchange.ts"
import type { HttpLimits } from "./HttpLimits.ts"

/**
 * Watches the connections of a server from now on.
 *
 * @returns ends the sessions, gives answers that are under way `limits.shutdown` to leave, and has closed every connection
 *   and the port
 */
export const make = (
  http: Server,
  transport: Pick<HttpTransport, "endAll">,
  limits: Pick<HttpLimits, "shutdown">,
): Effect.Effect<void> => {
  const sockets = new Set<Socket>()
  const busy = new Set<ServerResponse>()
  http.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    // Every session that it carries listens for its end.
    socket.setMaxListeners(0)
  })
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
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    yield* transport.endAll
    yield* Effect.timeoutOption(Effect.interruptible(flushed), limits.shutdown)
    for (const socket of sockets) socket.destroy()
    yield* Effect.promise(() => closed)
  })
}
