import type { Readable } from "node:stream"

const piece = 32 * 1024

/** In milliseconds: how long a piece takes, which makes four MiB a second. */
const pace = 8

/**
 * Reads a paused stream slowly and steadily: what a busy machine held back is made up for at once. Returns what ends it.
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
