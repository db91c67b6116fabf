/**
 * Disconnects clients that do not read, since unread data must not grow without bound.
 *
 * @see docs/internals/promises.md, 27
 */
import type { Socket } from "node:net"
import type { Writable } from "node:stream"
import * as Duration from "effect/Duration"
import * as ReadingRoom from "../ReadingRoom.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import * as SocketProgress from "./SocketProgress.ts"

/** A stream to a client: a response, or a socket. */
export interface Connection extends Writable {
  readonly socket?: Socket | null
}

/** Watches the reader of one connection. */
export interface SlowReader {
  /** Must be called after each write. Returns whether the client must catch up before its own messages are read. */
  readonly wrote: () => boolean
  /** Whether the client has more than `maxAheadBytes` to read. */
  readonly isBehind: () => boolean
  /** Waits until the client has caught up or was disconnected. */
  readonly room: ReadingRoom.ReadingRoom
}

/**
 * Starts watching a connection of the server.
 *
 * @param connection the stream to the client
 * @param end closes the connection of a slow reader; by default it is destroyed
 */
export type SlowReaders = (connection: Connection, end?: () => void) => SlowReader

interface Reader {
  readonly connection: Connection
  /** How many bytes were unread at the last count. */
  unread: number
  /** How many consecutive checks have found that the client reads nothing. */
  idle: number
}

/** A client that reads fewer bytes between two checks counts as reading nothing. */
const minReadBytes = 64 * 1024

/**
 * After so many consecutive checks without reading, a client is disconnected. One check is not enough: data leaves in pieces
 * of a megabyte and more, so that a client that reads slowly and steadily seems idle for a while.
 */
export const looks = 6

/**
 * Disconnects a client that leaves more than `maxUnreadBytes` unread, or for which an agent is paused, if it reads nothing
 * for `looks` times `patience`. A client that keeps reading stays connected, since an answer may be long and a network slow.
 * When all clients together leave more than `maxUnreadTotalBytes`, idle readers are disconnected first, those with the most
 * unread bytes before the others.
 */
export const make = ({
  maxAheadBytes,
  maxUnreadBytes,
  maxUnreadTotalBytes,
  patience,
}: Pick<HttpLimits, "maxAheadBytes" | "maxUnreadBytes" | "maxUnreadTotalBytes" | "patience">): SlowReaders => {
  const readers = new Set<Reader>()
  /** An upper bound of the unread bytes: some may have been read since they were counted. */
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
      if (now - before >= minReadBytes) {
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
