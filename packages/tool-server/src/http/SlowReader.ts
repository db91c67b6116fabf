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
 * So many looks in a row at a client that reads nothing end its connection. One look is not enough: what is written leaves
 * in pieces of a megabyte and more, so that nothing leaves for a long while for a client that reads slowly all the time.
 */
export const looks = 6

/**
 * Ends the connection of a client that leaves too much unread and reads nothing of it for too long: each `patience` is one
 * look at it. One that reads all the while keeps it: an answer may be long, and its way slow.
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
  let idle = 0
  const left = () =>
    BytesLeft.of(connection.socket === undefined ? (connection as unknown as Socket) : connection.socket)
  const isBehind = () => connection.writableLength > maxUnreadBytes
  const rest = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = () => {
    if (!isBehind()) return rest()
    const now = left()
    if (now - before >= leastRead) {
      before = now
      idle = 0
    } else if (++idle === looks) {
      rest()
      end()
    }
  }
  connection.once("close", rest)
  return {
    isBehind,
    wrote: () => {
      if (connection.writableLength > hardBound * maxUnreadBytes) connection.destroy()
      else if (!isBehind()) rest()
      else if (timer === undefined && !connection.destroyed) {
        before = left()
        idle = 0
        timer = setInterval(look, Duration.toMillis(patience))
      }
      return isBehind()
    },
  }
}
