/**
 * Frames with headers before them, `Content-Length` among them, as the Language Server Protocol has them.
 *
 * @see docs/internals/editor-server-accepted.md, 000.7 to 000.9
 */
import type { FrameListener, Framing } from "../../domain/EditorProfile.ts"
import * as FrameBody from "./FrameBody.ts"

/** How many bytes of headers, or of anything else, may stand before a frame. */
const maxHeaderBytes = 8_192

/** How much of what is no header is quoted, in characters. */
const sampleLength = 64

/** RFC 9110, section 5.6.2: what a header's name is made of. */
const headerLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}:/
const decimal = /^\d{1,16}$/

/** The header that begins a frame, also behind text on its line, and how it begins in lower case. */
const lengthName = /(?<!-)content-length:/i
const lengthStart = "content-length:"

const newline = 0x0a

const encode = (text: string): Buffer => {
  const body = Buffer.byteLength(text)
  const head = `Content-Length: ${body}\r\n\r\n`
  const bytes = Buffer.allocUnsafe(head.length + body)
  bytes.write(head)
  bytes.write(text, head.length)
  return bytes
}

const decoder = (limit: number, listener: FrameListener) => {
  const body = FrameBody.make(limit, listener)
  /** The line that has begun, how many bytes were before it, and the length of the frame, once that has been named. */
  let line = ""
  let headBytes = 0
  let length: number | undefined
  /** The first line before a frame that does not name its length. */
  let stray: string | undefined
  let isLost = false

  const give = (up: string) => {
    isLost = true
    listener.nonsense(up)
  }
  const quoted = (text: string) => JSON.stringify(text.slice(0, sampleLength))

  const readLength = (text: string) => {
    const value = text.trim()
    const bytes = decimal.test(value) ? Number(value) : 0
    if (bytes <= 0 || bytes > FrameBody.maxFrameBytes) return give(`Content-Length: ${value.slice(0, sampleLength)}`)
    // The headers of a frame have as much room as the noise before them.
    if (length === undefined) headBytes = 0
    length = bytes
    stray = undefined
  }
  const readLine = (text: string) => {
    const found = lengthName.exec(text)
    if (found !== null) {
      if (found.index > 0) listener.noise(quoted(text.slice(0, found.index)))
      return readLength(text.slice(found.index + lengthStart.length))
    }
    if (length === undefined) {
      stray ??= text
      if (text !== "" && !headerLine.test(text)) listener.noise(quoted(text))
    } else if (text === "") {
      body.begin(length)
      length = undefined
      headBytes = 0
    } else if (!headerLine.test(text)) give(`no header: ${quoted(text)}`)
  }
  /** Reads lines from a place on; returns where the rest begins. */
  const readHead = (chunk: Buffer, from: number): number => {
    const end = chunk.indexOf(newline, from)
    const piece = chunk.subarray(from, end < 0 ? Math.min(chunk.length, from + maxHeaderBytes + 1) : end)
    line += piece.toString("latin1", 0, maxHeaderBytes + 1)
    const isLong = line.length > maxHeaderBytes
    if (end >= 0 && !isLong) {
      const text = line.replace(/\r$/, "")
      headBytes += line.length + 1
      line = ""
      readLine(text)
    }
    if (!isLost && (isLong || headBytes > maxHeaderBytes)) {
      give(`more than ${maxHeaderBytes} bytes before a frame: ${quoted(stray ?? line)}`)
    }
    return end < 0 ? chunk.length : end + 1
  }
  /** What does not begin a frame. */
  const strayed = () => {
    if (stray !== undefined || length !== undefined || body.isOpen()) return stray
    const begun = line.slice(0, lengthStart.length).toLowerCase()
    return begun.startsWith(lengthStart) || lengthStart.startsWith(begun) ? undefined : line
  }

  return (chunk: Buffer) => {
    let from = 0
    while (!isLost && from < chunk.length) {
      from = body.isOpen() ? body.take(chunk, from) : readHead(chunk, from)
    }
    const text = isLost ? undefined : strayed()
    return text === undefined ? undefined : `no header: ${quoted(text)}`
  }
}

export const framing: Framing = { encode, decoder }
