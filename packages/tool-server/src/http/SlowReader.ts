/**
 * Lets go of a client that does not read: what waits for it must not grow for ever.
 *
 * @see promise 27
 */
import type { Writable } from "node:stream"
import * as Duration from "effect/Duration"
import type { HttpLimits } from "./HttpLimits.ts"

export type Bounds = Pick<HttpLimits, "maxUnreadBytes" | "patience">

/** How many times the bound ends a connection at once. */
const hardBound = 16

/** Connections whose clients have left too much unread, and what takes that back. */
const late = new WeakMap<Writable, () => void>()

/**
 * Ends the connection of a client that leaves too much unread for too long. To be called after each write: one message
 * may be larger than the bound, and until now nobody could read a byte of it.
 *
 * @param connection what is written to
 * @param end how a connection ends that has been given time; by default, and without that time, it is destroyed
 * @returns whether the client has too much to read already
 */
export const watch = (
  connection: Writable,
  { maxUnreadBytes, patience }: Bounds,
  end: () => void = () => connection.destroy(),
): boolean => {
  const unread = connection.writableLength
  if (unread <= maxUnreadBytes) late.get(connection)?.()
  else if (unread > hardBound * maxUnreadBytes) connection.destroy()
  else if (!late.has(connection) && !connection.destroyed) {
    const over = () => {
      clearTimeout(timer)
      late.delete(connection)
      connection.off("drain", over).off("close", over)
    }
    const timer = setTimeout(() => {
      over()
      if (connection.writableLength > maxUnreadBytes) end()
    }, Duration.toMillis(patience))
    late.set(connection, over)
    connection.once("drain", over).once("close", over)
  }
  return unread > maxUnreadBytes
}
