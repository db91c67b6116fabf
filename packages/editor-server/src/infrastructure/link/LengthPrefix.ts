/**
 * Frames with a length before them: four bytes, signed, most significant first, then so many bytes of UTF-8.
 *
 * @see Wire facts, `unity` and `blender`
 */
import type { FrameListener, Framing } from "../../domain/EditorProfile.ts"
import * as FrameBody from "./FrameBody.ts"

const headBytes = 4

/** How a line of text begins that some editors write between frames. */
const strayLines = ["[unity-mcp-server]", "[Unity MCP Server]", "[Unity]"].map((line) => Buffer.from(line))
const longestStray = Math.max(...strayLines.map((line) => line.length))

/** How much text may stand before a frame, in bytes. */
const mostNoise = 8_192

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
  /** What has arrived before a frame, and is no whole head yet. */
  let head: Buffer = Buffer.alloc(0)
  let noise = 0
  let isLost = false

  const give = (up: string) => {
    isLost = true
    listener.nonsense(up)
  }
  /** Reads a head, a stray line, or neither; says whether more can be read. */
  const readHead = (): boolean => {
    if (head[0] === strayLines[0]?.[0]) {
      const known = strayLines.some((line) => {
        const common = Math.min(line.length, head.length)
        return line.subarray(0, common).equals(head.subarray(0, common))
      })
      const end = head.indexOf(newline)
      if (known && noise + head.length > mostNoise) give(`more than ${mostNoise} bytes of text before a frame`)
      else if (known && end < 0) return false
      else if (known) {
        noise += end + 1
        listener.noise(head.toString("utf8", 0, Math.min(end, longestStray)))
        head = head.subarray(end + 1)
      } else give(JSON.stringify(head.toString("latin1", 0, sampleBytes)))
      return !isLost && head.length > 0
    }
    if (head.length < headBytes) return false
    const length = head.readInt32BE()
    // Four letters are a text of another protocol, and would be a frame of more than half a gigabyte.
    const isText = length > limit && head.subarray(0, headBytes).every((byte) => byte >= 0x20 && byte < 0x7f)
    if (length <= 0 || length > FrameBody.mostBytes || isText) {
      give(`a frame of ${length} bytes (${JSON.stringify(head.toString("latin1", 0, sampleBytes))})`)
      return false
    }
    noise = 0
    head = head.subarray(headBytes)
    body.begin(length)
    return true
  }

  return (chunk: Buffer) => {
    let from = 0
    while (!isLost && from < chunk.length) {
      if (body.isOpen()) {
        from = body.take(chunk, from)
        continue
      }
      // A head is short: what follows it is taken from `head` first.
      head = head.length === 0 ? chunk.subarray(from) : Buffer.concat([head, chunk.subarray(from)])
      from = chunk.length
      while (!isLost && head.length > 0) {
        if (body.isOpen()) head = head.subarray(body.take(head, 0))
        else if (!readHead()) break
      }
    }
    // A stray line whose end has not arrived: those that have ended are noise, whatever follows.
    const isStray = !isLost && !body.isOpen() && head[0] === strayLines[0]?.[0]
    return isStray ? JSON.stringify(head.toString("latin1", 0, sampleBytes)) : undefined
  }
}

export const framing: Framing = { encode, decoder }
