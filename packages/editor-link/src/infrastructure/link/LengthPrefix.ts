/**
 * Frames with a length before them: four bytes, signed, most significant first, then so many bytes of UTF-8.
 *
 * @see docs/internals/editor-server-accepted.md, 004.10 to 004.12; bridge/PROTOCOL.md of editor-blender
 */
import type { FrameListener, Framing } from "../../domain/EditorProfile.ts"
import * as FrameBody from "./FrameBody.ts"

const headBytes = 4

/** How a line of text begins that some editors write between frames. */
const strayLines = ["[unity-mcp-server]", "[Unity MCP Server]", "[Unity]"].map((line) => Buffer.from(line))
const maxStrayLength = Math.max(...strayLines.map((line) => line.length))

/** How much text may stand before a frame, in bytes. */
const maxNoiseBytes = 8_192

const newline = 0x0a

/** How much of what is no frame is quoted, in bytes. */
const sampleBytes = 64

const encode = (text: string): Buffer => {
  const body = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(headBytes + body)
  bytes.writeInt32BE(body)
  bytes.write(text, headBytes)
  return bytes
}

const decoder = (limit: number, listener: FrameListener) => {
  const body = FrameBody.make(limit, listener)
  /** What has arrived of a head or of a stray line that is not whole yet. */
  let begun: Buffer | undefined
  let noise = 0
  let isLost = false

  const give = (up: string): undefined => {
    isLost = true
    listener.nonsense(up)
  }
  const sample = (bytes: Buffer, from: number) => JSON.stringify(bytes.toString("latin1", from, from + sampleBytes))

  /** Reads a line of text; returns where the rest begins, or nothing if there is no whole line. */
  const readLine = (bytes: Buffer, from: number): number | undefined => {
    const isKnown = strayLines.some((line) => {
      const common = Math.min(line.length, bytes.length - from)
      return line.subarray(0, common).equals(bytes.subarray(from, from + common))
    })
    if (!isKnown) return give(sample(bytes, from))
    const newlineAt = bytes.indexOf(newline, from)
    const end = newlineAt < 0 ? bytes.length : newlineAt
    if (noise + end - from > maxNoiseBytes) return give(`more than ${maxNoiseBytes} bytes of text before a frame`)
    if (newlineAt < 0) return undefined
    noise += end + 1 - from
    listener.noise(bytes.toString("utf8", from, Math.min(end, from + maxStrayLength)))
    return end + 1
  }
  /** Reads what stands before a frame, as `readLine` does. */
  const readHead = (bytes: Buffer, from: number): number | undefined => {
    if (bytes[from] === strayLines[0]?.[0]) return readLine(bytes, from)
    if (bytes.length < from + headBytes) return undefined
    const length = bytes.readInt32BE(from)
    // Four letters are a text of another protocol, and would be a frame of more than half a gigabyte.
    const isText = length > limit && bytes.subarray(from, from + headBytes).every((byte) => byte >= 0x20 && byte < 0x7f)
    if (length <= 0 || length > FrameBody.maxFrameBytes || isText) {
      return give(`a frame of ${length} bytes (${sample(bytes, from)})`)
    }
    noise = 0
    body.begin(length)
    return from + headBytes
  }

  return (chunk: Buffer) => {
    const bytes = begun === undefined ? chunk : Buffer.concat([begun, chunk])
    begun = undefined
    for (let from = 0; !isLost && from < bytes.length; ) {
      const rest = body.isOpen() ? body.take(bytes, from) : readHead(bytes, from)
      if (rest === undefined) begun = bytes.subarray(from)
      from = rest ?? bytes.length
    }
    // A stray line whose end has not arrived: those that have ended are noise, whatever follows.
    return !isLost && begun !== undefined && begun[0] === strayLines[0]?.[0] ? sample(begun, 0) : undefined
  }
}

export const framing: Framing = { encode, decoder }
