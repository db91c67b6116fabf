/**
 * Pauses a stream that keeps the event loop busy, so that other streams and timers run in between.
 *
 * @see promises on the event loop and on isolation
 */

/** A source that can be paused, such as a `Readable`. */
export interface Pausable {
  /** Stops further chunks until `resume`; may be called several times before it. */
  readonly pause: () => unknown
  /** Lets chunks through again; may deliver one before it returns. */
  readonly resume: () => unknown
}

/**
 * A listener for the event `data` of a stream.
 *
 * @param chunk the next bytes of the stream, in their order; `push` has processed them when the handler returns
 */
export type ChunkHandler = (chunk: Buffer) => void

/** Smaller chunks are not timed, in bytes. */
const much = 16 * 1024

/** How long chunks may be processed within one turn of the event loop, in milliseconds. */
const budget = 10

/**
 * Wraps a chunk handler: chunks of 16 KiB or more are timed, and after 10 ms in one turn of the event loop the stream
 * is paused until the next turn.
 *
 * @param stream the source of the chunks, such as the standard output of a process
 * @param push processes one chunk synchronously
 * @returns the handler to register in place of `push`
 */
export const make = (stream: Pausable, push: (chunk: Buffer) => void): ChunkHandler => {
  let spent = 0
  let isWaiting = false
  const refresh = () => {
    const isPaused = spent > budget
    isWaiting = false
    spent = 0
    // `resume` may deliver chunks synchronously, and so pause the stream again before it returns.
    if (isPaused) stream.resume()
  }
  return (chunk) => {
    if (chunk.length < much) return push(chunk)
    const begun = performance.now()
    push(chunk)
    spent += performance.now() - begun
    if (spent > budget) stream.pause()
    if (isWaiting) return
    isWaiting = true
    setImmediate(refresh)
  }
}
