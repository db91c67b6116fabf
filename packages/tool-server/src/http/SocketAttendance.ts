/**
 * Whether the client of a WebSocket is there: its machine may have gone without a word.
 *
 * @see promise 29
 */
import type { Socket } from "node:net"
import * as Duration from "effect/Duration"
import type { WebSocket } from "ws"
import * as BytesLeft from "./BytesLeft.ts"
import type { HttpLimits } from "./HttpLimits.ts"

export type Times = Pick<HttpLimits, "keepAlive" | "requestTimeout">

/**
 * - `begun`: its session has begun
 * - `seen`: it was there just now
 * - `forget`: it is looked for no more
 */
export interface SocketAttendance {
  readonly begun: () => void
  readonly seen: () => void
  readonly forget: () => void
}

/**
 * Asks a client again and again whether it is there. One that has said nothing since the last time, nor read any of what
 * waited for it, loses its connection.
 *
 * @param connection what carries the socket
 * @param idle called when no session has begun in time
 */
export const make = (
  socket: WebSocket,
  connection: Socket,
  { keepAlive, requestTimeout }: Times,
  idle: () => void,
): SocketAttendance => {
  let isThere = true
  let hasWaited = false
  let before = 0
  const seen = () => {
    isThere = true
  }
  const ask = () => {
    // What nothing stands in the way of leaves for clients that have gone, too.
    const left = BytesLeft.of(connection)
    if (hasWaited && left > before) isThere = true
    hasWaited = connection.writableLength > 0
    before = left
    if (isThere) {
      isThere = false
      // One that is not listened to could not say so.
      if (!socket.isPaused) socket.ping()
      return
    }
    // After a busy while its answer may have come, and not been read.
    setImmediate(() => {
      if (!isThere) socket.terminate()
    })
  }
  const first = setTimeout(idle, Duration.toMillis(requestTimeout))
  const asking = setInterval(ask, Duration.toMillis(keepAlive))
  socket.on("message", seen).on("pong", seen)
  return {
    begun: () => clearTimeout(first),
    seen,
    forget: () => {
      clearTimeout(first)
      clearInterval(asking)
    },
  }
}
