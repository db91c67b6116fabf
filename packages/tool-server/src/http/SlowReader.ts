/**
 * Lets go of a client that does not read: what waits for it must not grow for ever.
 *
 * @see promise 27
 */
import type { Socket } from "node:net"
import type { Writable } from "node:stream"
import * as Duration from "effect/Duration"
import * as BytesLeft from "./BytesLeft.ts"
import type { HttpLimits } from "./HttpLimits.ts"

export type Bounds = Pick<HttpLimits, "maxUnreadBytes" | "patience">

/** What is written to: a response, or a socket itself. */
export interface Connection extends Writable {
  readonly socket?: Socket | null
}

/**
 * - `wrote`: to be called after each write: one message may be larger than the bound, and until now nobody could read a
 *   byte of it. Says whether the client has too much to read already
 * - `isBehind`: whether it still has
 */
export interface SlowReader {
  readonly wrote: () => boolean
  readonly isBehind: () => boolean
}

/** How many times the bound ends a connection at once. */
const hardBound = 16

/** Who reads less than this within the time that it is given does not read, in bytes. */
const leastRead = 64 * 1024

/**
 * Ends the connection of a client that leaves too much unread and reads nothing of it for too long. One that reads all the
 * while keeps it: an answer may be long, and its way slow.
 *
 * @param connection what is written to
 * @param end how a connection ends that has been given time; by default, and without that time, it is destroyed
 */
export const make = (
  connection: Connection,
  { maxUnreadBytes, patience }: Bounds,
  end: () => void = () => connection.destroy(),
): SlowReader => {
  let timer: NodeJS.Timeout | undefined
  let before = 0
  const left = () =>
    BytesLeft.of(connection.socket === undefined ? (connection as unknown as Socket) : connection.socket)
  const isBehind = () => connection.writableLength > maxUnreadBytes
  const rest = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = () => {
    const now = left()
    const isReading = now - before >= leastRead
    before = now
    if (isBehind() && isReading) return
    rest()
    if (isBehind()) end()
  }
  connection.once("close", rest)
  return {
    isBehind,
    wrote: () => {
      if (connection.writableLength > hardBound * maxUnreadBytes) connection.destroy()
      else if (!isBehind()) rest()
      else if (timer === undefined && !connection.destroyed) {
        before = left()
        timer = setInterval(look, Duration.toMillis(patience))
      }
      return isBehind()
    },
  }
}
