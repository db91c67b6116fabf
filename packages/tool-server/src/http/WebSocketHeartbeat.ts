/**
 * Whether the client of a WebSocket is there: its machine may have gone without a word.
 *
 * @see promise 29
 */
import type { Socket } from "node:net"
import * as Duration from "effect/Duration"
import type { WebSocket } from "ws"
import type { HttpLimits } from "./HttpLimits.ts"
import * as SlowReader from "./SlowReader.ts"
import * as SocketProgress from "./SocketProgress.ts"

export type Times = Pick<HttpLimits, "keepAlive" | "requestTimeout">

/**
 * - `begun`: its session has begun
 * - `caughtUp`: it has read on, after much had waited for it
 * - `forget`: it is looked for no more
 */
export interface WebSocketHeartbeat {
  readonly begun: () => void
  readonly caughtUp: () => void
  readonly forget: () => void
}

/**
 * Asks a client again and again whether it is there. One that has said nothing since the last time loses its connection.
 * The answer of one for which something has ever waited may be late: it is asked as often as a slow reader is looked at,
 * and again from the start when it has read on.
 *
 * @param connection what carries the socket
 * @param idle called when no session has begun in time
 */
export const make = (
  socket: WebSocket,
  connection: Socket,
  { keepAlive, requestTimeout }: Times,
  idle: () => void,
): WebSocketHeartbeat => {
  /** How often in a row it gave no sign. */
  let silences = 0
  let isWaiting = false
  let hasWaited = false
  let before = 0
  const seen = () => {
    silences = 0
  }
  const ask = () => {
    // What nothing stands in the way of leaves for clients that have gone, too.
    const left = SocketProgress.of(connection)
    if (isWaiting && left > before) silences = 0
    isWaiting = connection.writableLength > 0
    hasWaited ||= isWaiting
    before = left
    if (silences < (hasWaited ? SlowReader.looks : 1)) {
      silences++
      // One that is not listened to could not say so.
      if (!socket.isPaused) socket.ping()
      return
    }
    // After a busy while its answer may have come, and not been read.
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
