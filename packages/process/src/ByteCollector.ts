/**
 * Joins pieces of bytes into one Buffer, in memory linear in their total size however small the pieces are.
 */
import * as JsonBounds from "./JsonBounds.ts"

/** Collects the pieces of one line or document, in memory linear in their total size. */
export interface ByteCollector {
  /**
   * Returns which of the bounds the JSON in the collected pieces and `next` exceeds; `undefined` without bounds, and
   * while the total is at most `small`.
   *
   * @param next the piece that follows the collected ones; it is counted but not added: pass it to `add` or `take` next
   */
  readonly excess: (next: Buffer) => JsonBounds.Excess | undefined
  /**
   * Appends a piece. After 1,024 pieces they are joined into one, so that many small ones take little memory.
   *
   * @param piece kept by reference, not copied
   */
  readonly add: (piece: Buffer) => void
  /** Returns the total of the collected pieces, in bytes. */
  readonly size: () => number
  /**
   * Returns all pieces as one Buffer and empties the collector.
   *
   * @param last a piece to append before the pieces are joined
   */
  readonly take: (last?: Buffer) => Buffer
  /** Empties the collector without returning the pieces. */
  readonly forget: () => void
}

/** How many pieces are kept before they are joined: a Buffer of one byte takes about 100 bytes of memory. */
const maxPieces = 1024

/** The size up to which JSON is cheap to parse whatever its shape, in bytes: `excess` starts to count beyond it. */
export const small = 1024 * 1024

/**
 * Makes an empty collector. After `take` or `forget` it serves the next line or document.
 *
 * @param bounds limits of the collected JSON's shape; without them `excess` always returns `undefined`
 */
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
    if (++fresh < maxPieces) return
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
