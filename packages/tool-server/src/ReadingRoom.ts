/**
 * Backpressure: whether a reader keeps up with the written data.
 */
import type { Writable } from "node:stream"

/** Returns a promise that resolves when the reader has caught up or is gone; `undefined` while it keeps up. */
export type ReadingRoom = () => Promise<void> | undefined

/** The pace of one reader. */
export interface Pace {
  readonly room: ReadingRoom
  /** Whether a promise of `room` is unresolved. */
  readonly isAwaited: () => boolean
}

/**
 * Watches one reader.
 *
 * @param output the stream that is written to
 * @param max how many unread bytes still count as keeping up
 */
export const make = (output: Writable, max: number): Pace => {
  let waiting: PromiseWithResolvers<void> | undefined
  const proceed = () => {
    waiting?.resolve()
    waiting = undefined
  }
  output.on("drain", proceed).once("close", proceed)
  return {
    room: () => {
      if (output.writableLength <= max || output.destroyed) return undefined
      waiting ??= Promise.withResolvers<void>()
      return waiting.promise
    },
    isAwaited: () => waiting !== undefined,
  }
}

/** How many unread bytes are normal: enough to keep a connection busy. */
export const ahead = 256 * 1024
