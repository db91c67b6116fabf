/**
 * Frames of an editor, a length before each body, with nothing around them: no limits, no noise, no errors.
 */

export const encode = (text: string): Buffer => {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(4 + length)
  bytes.writeInt32BE(length)
  bytes.write(text, 4)
  return bytes
}

/** Where the first body in these bytes ends, once that can be read. */
const ending = (bytes: Buffer) => (bytes.length < 4 ? undefined : 4 + bytes.readInt32BE())

/** Decodes chunks, cut anywhere, in linear time. */
export const reader = (take: (body: Buffer) => void): ((chunk: Buffer) => void) => {
  let pieces: Array<Buffer> = []
  let size = 0
  let due = 0
  return (chunk) => {
    pieces.push(chunk)
    size += chunk.length
    if (size < due) return
    let rest = pieces.length === 1 ? chunk : Buffer.concat(pieces)
    let end = ending(rest)
    for (; end !== undefined && end <= rest.length; end = ending(rest)) {
      take(rest.subarray(4, end))
      rest = rest.subarray(end)
    }
    due = end ?? 0
    pieces = rest.length === 0 ? [] : [rest]
    size = rest.length
  }
}
