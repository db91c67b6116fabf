/**
 * Detects whether the client of a WebSocket is still connected: its machine may vanish without closing the connection.
 *
 * @see docs/internals/promises.md, 29
 */
import type { Socket } from "node:net"
import * as Duration from "effect/Duration"
import type { WebSocket } from "ws"
import type { HttpLimits } from "./HttpLimits.ts"
import * as SocketProgress from "./SocketProgress.ts"
import * as StalledReader from "./StalledReader.ts"

/** The limits that hold for a WebSocket's client. */
export type Times = Pick<HttpLimits, "keepAlive" | "requestTimeout">

/** The heartbeat of one socket. */
export interface WebSocketHeartbeat {
  /** Called when the session is initialized. */
  readonly begun: () => void
  /** Called when the client has read the data that waited for it. */
  readonly caughtUp: () => void
  /** Stops the heartbeat. */
  readonly forget: () => void
}

/**
 * Pings a client regularly, and disconnects it if it has sent nothing since the last ping. If data has ever waited for the
 * client, its pong may be late: it is then disconnected after as many pings as a slow reader's checks.
 *
 * @param connection the socket's TCP connection
 * @param idle called when no session was initialized in time
 */
export const make = (
  socket: WebSocket,
  connection: Socket,
  { keepAlive, requestTimeout }: Times,
  idle: () => void,
): WebSocketHeartbeat => {
  /** How many consecutive pings were not answered. */
  let silences = 0
  let isWaiting = false
  let hasWaited = false
  let before = 0
  const seen = () => {
    silences = 0
  }
  const ask = () => {
    // Without backlog, data leaves for vanished clients too.
    const left = SocketProgress.of(connection)
    if (isWaiting && left > before) silences = 0
    isWaiting = connection.writableLength > 0
    hasWaited ||= isWaiting
    before = left
    if (silences < (hasWaited ? StalledReader.looks : 1)) {
      silences++
      // The pong of a paused socket could not be read.
      if (!socket.isPaused) socket.ping()
      return
    }
    // After a busy period the pong may have arrived unread.
    setImmediate(() => {
      if (silences > 0) socket.terminate()
    })
  }
  const first = setTimeout(idle, Duration.toMillis(requestTimeout))
  const asking = setInterval(ask, Duration.toMillis(keepAlive))
  socket.on("message", seen).on("pong", seen)
  return {
    begun: () => clearTimeout(first),
    caughtUp: () => {
      hasWaited = true
      seen()
    },
    forget: () => {
      clearTimeout(first)
      clearInterval(asking)
    },
  }
}
