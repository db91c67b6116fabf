/**
 * Frames of editors with nothing around them: no limits, no noise, no errors.
 */

/** `head`: where the body of the first frame in these bytes begins and ends, once that can be read. */
export interface EditorFrames {
  readonly encode: (text: string) => Buffer
  readonly head: (bytes: Buffer) => { readonly from: number; readonly to: number } | undefined
}

const lengthPrefix: EditorFrames = {
  encode: (text) => {
    const length = Buffer.byteLength(text)
    const bytes = Buffer.allocUnsafe(4 + length)
    bytes.writeInt32BE(length)
    bytes.write(text, 4)
    return bytes
  },
  head: (bytes) => (bytes.length < 4 ? undefined : { from: 4, to: 4 + bytes.readInt32BE() }),
}

const contentLength: EditorFrames = {
  encode: (text) => Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
  head: (bytes) => {
    const end = bytes.indexOf("\r\n\r\n")
    if (end < 0) return undefined
    const from = end + 4
    return { from, to: from + Number(bytes.toString("latin1", "Content-Length: ".length, end)) }
  },
}

export const framings = { "length-prefix": lengthPrefix, "content-length": contentLength }
export type FramingName = keyof typeof framings

/** Decodes chunks, cut anywhere, in linear time. */
export const reader = ({ head }: EditorFrames, take: (body: Buffer) => void): ((chunk: Buffer) => void) => {
  let pieces: Array<Buffer> = []
  let size = 0
  let due = 0
  return (chunk) => {
    pieces.push(chunk)
    size += chunk.length
    if (size < due) return
    let rest = pieces.length === 1 ? chunk : Buffer.concat(pieces)
    let found = head(rest)
    for (; found !== undefined && found.to <= rest.length; found = head(rest)) {
      take(rest.subarray(found.from, found.to))
      rest = rest.subarray(found.to)
    }
    due = found?.to ?? 0
    pieces = rest.length === 0 ? [] : [rest]
    size = rest.length
  }
}
