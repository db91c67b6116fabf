/**
 * Reads a stream so that one that never stops leaves time for the others.
 *
 * @see promises on the event loop and on isolation
 */
import type { Readable } from "node:stream"

/** Less than this at once is no flood, in bytes. */
const much = 16 * 1024

/** How long what comes at once may be worked on before everybody else has a turn, in milliseconds. */
const budget = 10

/** @param push takes what has arrived */
export const start = (stream: Readable, push: (chunk: Buffer) => void): void => {
  let spent = 0
  let isWaiting = false
  const refresh = () => {
    isWaiting = false
    if (spent > budget) stream.resume()
    spent = 0
  }
  stream.on("data", (chunk: Buffer) => {
    if (chunk.length < much) return push(chunk)
    const begun = performance.now()
    push(chunk)
    spent += performance.now() - begun
    if (spent > budget) stream.pause()
    if (isWaiting) return
    isWaiting = true
    setImmediate(refresh)
  })
}
