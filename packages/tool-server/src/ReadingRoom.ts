/**
 * Whether a reader keeps up with what is written for it.
 */
import type { Writable } from "node:stream"

/** Resolves when the reader has caught up, or is gone; `undefined` while it keeps up. */
export type ReadingRoom = () => Promise<void> | undefined

/** `isAwaited`: whether anybody waits for the reader to catch up. */
export interface Pace {
  readonly room: ReadingRoom
  readonly isAwaited: () => boolean
}

/**
 * The pace of one reader.
 *
 * @param output what is written to
 * @param most how much may wait in it, in bytes
 */
export const make = (output: Writable, most: number): Pace => {
  let waiting: PromiseWithResolvers<void> | undefined
  const proceed = () => {
    waiting?.resolve()
    waiting = undefined
  }
  output.on("drain", proceed).once("close", proceed)
  return {
    room: () => {
      if (output.writableLength <= most || output.destroyed) return undefined
      waiting ??= Promise.withResolvers<void>()
      return waiting.promise
    },
    isAwaited: () => waiting !== undefined,
  }
}

/** How far what is said may be ahead of a reader, in bytes: enough to keep its connection busy. */
export const ahead = 256 * 1024
