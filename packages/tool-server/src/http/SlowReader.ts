/**
 * Lets go of clients that do not read: what waits for them must not grow for ever.
 *
 * @see promise 27
 */
import type { Socket } from "node:net"
import type { Writable } from "node:stream"
import * as Duration from "effect/Duration"
import * as ReadingRoom from "../ReadingRoom.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import * as SocketProgress from "./SocketProgress.ts"

/** What is written to: a response, or a socket itself. */
export interface Connection extends Writable {
  readonly socket?: Socket | null
}

/**
 * - `wrote`: to be called after each write: one message may be larger than the bound, and until now nobody could read a
 *   byte of it. Says whether the client should read before it is listened to
 * - `isBehind`: whether it still has
 * - `room`: waits until what may be said ahead of it has left, or it is let go of
 */
export interface SlowReader {
  readonly wrote: () => boolean
  readonly isBehind: () => boolean
  readonly room: ReadingRoom.ReadingRoom
}

/**
 * Watches one connection of a server more.
 *
 * @param connection what is written to
 * @param end how a connection ends that has been given time; by default, and without that time, it is destroyed
 */
export type SlowReaders = (connection: Connection, end?: () => void) => SlowReader

/**
 * - `unread`: what it leaves unread, when that was last counted
 * - `idle`: how many looks in a row have found that it reads nothing
 */
interface Reader {
  readonly connection: Connection
  unread: number
  idle: number
}

/** Who reads less than this within the time that it is given does not read, in bytes. */
const leastRead = 64 * 1024

/**
 * So many looks in a row at a client that reads nothing end its connection. One look is not enough: what is written leaves
 * in pieces of a megabyte and more, so that nothing leaves for a long while for a client that reads slowly all the time.
 */
export const looks = 6

/**
 * Ends the connection of a client that leaves more than `maxUnreadBytes`, or for which an agent waits, and that reads
 * nothing for too long: each `patience` is one look at it. One that reads all the while keeps it: an answer may be long, and its way slow. When all
 * clients leave more than `maxUnreadTotalBytes` together, those who read nothing go first, and of those who leaves the most.
 */
export const make = ({
  maxAheadBytes,
  maxUnreadBytes,
  maxUnreadTotalBytes,
  patience,
}: Pick<HttpLimits, "maxAheadBytes" | "maxUnreadBytes" | "maxUnreadTotalBytes" | "patience">): SlowReaders => {
  const readers = new Set<Reader>()
  /** No less than what all leave: some of it may have been read since it was counted. */
  let total = 0

  const count = (reader: Reader) => {
    const unread = reader.connection.writableLength
    total += unread - reader.unread
    reader.unread = unread
  }
  const forget = (reader: Reader) => {
    if (readers.delete(reader)) total -= reader.unread
  }
  const makeRoom = () => {
    if (total <= maxUnreadTotalBytes) return
    for (const reader of readers) count(reader)
    while (total > maxUnreadTotalBytes) {
      const worst = [...readers].reduce(worseOf)
      forget(worst)
      worst.connection.destroy()
    }
  }

  return (connection, end = () => connection.destroy()) => {
    const reader: Reader = { connection, unread: 0, idle: 0 }
    let timer: NodeJS.Timeout | undefined
    let before = 0
    const left = () =>
      SocketProgress.of(connection.socket === undefined ? (connection as unknown as Socket) : connection.socket)
    const { isAwaited, room } = ReadingRoom.make(connection, maxAheadBytes)
    const isBehind = () => connection.writableLength > maxAheadBytes
    const isLate = () => connection.writableLength > maxUnreadBytes || isAwaited()
    const rest = () => {
      clearInterval(timer)
      timer = undefined
      reader.idle = 0
    }
    const look = () => {
      if (!isLate()) return rest()
      const now = left()
      if (now - before >= leastRead) {
        before = now
        reader.idle = 0
      } else if (++reader.idle === looks) {
        rest()
        end()
      }
    }
    const watch = () => {
      if (!isLate()) rest()
      else if (timer === undefined && !connection.destroyed) {
        before = left()
        timer = setInterval(look, Duration.toMillis(patience))
      }
    }
    readers.add(reader)
    connection.once("close", () => {
      rest()
      forget(reader)
    })
    return {
      isBehind,
      room: () => {
        const caughtUp = room()
        if (caughtUp !== undefined) watch()
        return caughtUp
      },
      wrote: () => {
        if (!readers.has(reader)) return isBehind()
        count(reader)
        makeRoom()
        watch()
        return isBehind()
      },
    }
  }
}

const worseOf = (one: Reader, other: Reader): Reader => {
  if (one.idle !== other.idle) return one.idle > other.idle ? one : other
  return one.unread >= other.unread ? one : other
}
