/**
 * Reads what can be paused so that one that never stops leaves time for the others.
 *
 * @see promises on the event loop and on isolation
 */

/** What can be told to wait. */
export interface Pausable {
  readonly pause: () => unknown
  readonly resume: () => unknown
}

/** Less than this at once is no flood, in bytes. */
const much = 16 * 1024

/** How long what comes at once may be worked on before everybody else has a turn, in milliseconds. */
const budget = 10

/**
 * @param stream what is paused when its time is up
 * @param push takes what has arrived
 * @returns takes it in its place
 */
export const make = (stream: Pausable, push: (chunk: Buffer) => void): ((chunk: Buffer) => void) => {
  let spent = 0
  let isWaiting = false
  const refresh = () => {
    const isPaused = spent > budget
    isWaiting = false
    spent = 0
    // What is resumed may go on at once, and be paused again before this returns.
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
