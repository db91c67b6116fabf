/**
 * Frames with headers before them, `Content-Length` among them, as the Language Server Protocol has them.
 *
 * @see Wire facts, `unity-loop`
 */
import type { FrameListener, Framing } from "../../domain/EditorProfile.ts"
import * as FrameBody from "./FrameBody.ts"

/** How many bytes of headers a frame may have. */
const mostHeaderBytes = 8_192

/** How much of what is no header is quoted, in characters. */
const sampleLength = 64

/** RFC 9110, section 5.6.2: what a header's name is made of. */
const nameBytes = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{0,256}$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}):[ \t]*(.*?)[ \t]*$/
const decimal = /^\d{1,16}$/

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
  /** The line of a header that has begun, and what the headers before it have come to. */
  let line = ""
  let headerBytes = 0
  let length: number | undefined
  let isLost = false

  const give = (up: string) => {
    isLost = true
    listener.nonsense(up)
  }
  const quoted = (text: string) => JSON.stringify(text.slice(0, sampleLength))

  const readLine = (text: string) => {
    if (text === "") {
      if (length === undefined) return give("headers without Content-Length")
      body.begin(length)
      length = undefined
      headerBytes = 0
      return undefined
    }
    const [, name = "", value = ""] = headerLine.exec(text) ?? []
    if (name === "") return give(`no header: ${quoted(text)}`)
    if (name.toLowerCase() !== "content-length") return undefined
    const bytes = decimal.test(value) ? Number(value) : 0
    if (bytes <= 0 || bytes > FrameBody.mostBytes) return give(`Content-Length: ${value.slice(0, sampleLength)}`)
    length = bytes
    return undefined
  }
  /** Reads headers from a place on; returns where the rest begins. */
  const readHeaders = (chunk: Buffer, from: number): number => {
    const end = chunk.indexOf(newline, from)
    const piece = chunk.subarray(from, end < 0 ? Math.min(chunk.length, from + mostHeaderBytes + 1) : end)
    headerBytes += piece.length
    if (headerBytes > mostHeaderBytes) {
      give(`more than ${mostHeaderBytes} bytes of headers`)
      return chunk.length
    }
    line += piece.toString("latin1")
    if (end < 0) {
      // What cannot become a header is refused before its line ends.
      const colon = line.indexOf(":")
      if (!nameBytes.test(colon < 0 ? line.replace(/\r$/, "") : line.slice(0, colon)))
        give(`no header: ${quoted(line)}`)
      return chunk.length
    }
    const text = line.replace(/\r$/, "")
    line = ""
    readLine(text)
    return end + 1
  }

  return (chunk: Buffer) => {
    let from = 0
    while (!isLost && from < chunk.length) {
      from = body.isOpen() ? body.take(chunk, from) : readHeaders(chunk, from)
    }
  }
}

export const framing: Framing = { encode, decoder }
