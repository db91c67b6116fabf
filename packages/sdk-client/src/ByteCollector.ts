/**
 * Pieces of bytes that become one, in memory linear in their size however small they are.
 */

/**
 * - `add`: one more piece
 * - `size`: of all of them, in bytes
 * - `take`: all of them and this last one; nothing is left
 * - `forget`: nothing is left
 */
export interface ByteCollector {
  readonly add: (piece: Buffer) => void
  readonly size: () => number
  readonly take: (last?: Buffer) => Buffer
  readonly forget: () => void
}

/** How many pieces are kept before they become one: a piece of one byte takes a hundred. */
const mostPieces = 1024

/** Without pieces. */
export const make = (): ByteCollector => {
  let pieces: Array<Buffer> = []
  let fresh = 0
  let size = 0
  const forget = () => {
    pieces = []
    fresh = 0
    size = 0
  }
  const add = (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (++fresh < mostPieces) return
    pieces.push(Buffer.concat(pieces.splice(-fresh)))
    fresh = 0
  }
  return {
    add,
    forget,
    size: () => size,
    take: (last) => {
      if (last !== undefined && size === 0) return last
      if (last !== undefined) add(last)
      const [only] = pieces
      const whole = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, size)
      forget()
      return whole
    },
  }
}
