/**
 * Bytes to lines, in time and memory linear in what arrives.
 */

/**
 * - `line`: a whole line, without its end
 * - `oversize`: a line grew past the limit; the rest of it is thrown away. Told once a line
 */
export interface LineListener {
  readonly line: (line: string) => void
  readonly oversize: () => void
}

const newline = 0x0a

/**
 * A framer for one stream.
 *
 * @param limit the longest line, in bytes
 * @param listener who hears the lines
 * @returns takes the next bytes of the stream
 */
export const make = (limit: number, listener: LineListener): ((chunk: Buffer) => void) => {
  let parts: Array<Buffer> = []
  let size = 0
  let discarding = false

  const finish = (last: Buffer) => {
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last], size + last.length)
    parts = []
    size = 0
    listener.line(whole.toString("utf8"))
  }

  return (chunk) => {
    let from = 0
    while (from < chunk.length) {
      const at = chunk.indexOf(newline, from)
      const piece = chunk.subarray(from, at < 0 ? chunk.length : at)
      if (!discarding && size + piece.length > limit) {
        discarding = true
        parts = []
        size = 0
        listener.oversize()
      }
      if (at < 0) {
        if (!discarding) {
          parts.push(piece)
          size += piece.length
        }
        return
      }
      if (discarding) discarding = false
      else finish(piece)
      from = at + 1
    }
  }
}
