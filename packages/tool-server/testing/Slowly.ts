import type { Readable } from "node:stream"

const piece = 32 * 1024

/** The time for one piece, in milliseconds: 4 MiB per second. */
const pace = 8

/**
 * Reads a paused stream at a steady pace, which is kept on average on a busy machine. Returns the function that stops it.
 */
export const read = (stream: Readable): (() => void) => {
  const begin = performance.now()
  let pieces = 0
  let timer: NodeJS.Timeout
  const more = () => {
    const isDue = pieces * pace < performance.now() - begin
    const isThere = isDue && stream.read(piece) !== null
    if (isThere) pieces++
    timer = setTimeout(more, isThere ? 0 : pace)
  }
  more()
  return () => clearTimeout(timer)
}
