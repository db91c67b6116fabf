/**
 * Pieces of bytes that become one, in memory linear in their size however small they are.
 */
import * as JsonBounds from "./JsonBounds.ts"

/**
 * - `excess`: what of the JSON in all of them and this next one is too much. Judges nothing without bounds, nor what is
 *   too small for its shape to matter
 * - `add`: one more piece
 * - `size`: of all of them, in bytes
 * - `take`: all of them and this last one; nothing is left
 * - `forget`: nothing is left
 */
export interface ByteCollector {
  readonly excess: (next: Buffer) => JsonBounds.Excess | undefined
  readonly add: (piece: Buffer) => void
  readonly size: () => number
  readonly take: (last?: Buffer) => Buffer
  readonly forget: () => void
}

/** How many pieces are kept before they become one: a piece of one byte takes a hundred. */
const mostPieces = 1024

/** What is no longer than this costs little whatever its shape, in bytes. */
export const small = 1024 * 1024

/** Without pieces. */
export const make = (bounds?: JsonBounds.JsonBounds): ByteCollector => {
  let pieces: Array<Buffer> = []
  let fresh = 0
  let size = 0
  let gauge: ReturnType<typeof JsonBounds.gauge> | undefined
  const forget = () => {
    pieces = []
    fresh = 0
    size = 0
    gauge = undefined
  }
  const add = (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (++fresh < mostPieces) return
    pieces.push(Buffer.concat(pieces.splice(-fresh)))
    fresh = 0
  }
  return {
    excess: (next) => {
      if (bounds === undefined || size + next.length <= small) return undefined
      if (gauge === undefined) {
        gauge = JsonBounds.gauge(bounds)
        for (const piece of pieces) gauge(piece)
      }
      return gauge(next)
    },
    add,
    forget,
    size: () => size,
    take: (last) => {
      if (last !== undefined && size === 0) {
        gauge = undefined
        return last
      }
      if (last !== undefined) add(last)
      const [only] = pieces
      const whole = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, size)
      forget()
      return whole
    },
  }
}
