/**
 * Parses messages with headers, the framing of the Language Server Protocol, which some clients of old SDKs use for MCP.
 */
import * as ByteCollector from "@zain/process/ByteCollector"

/** Receives the messages of one client. */
export interface MessageListener {
  /** Receives the text of each message. */
  readonly message: (text: string) => void
  /** Called once if the bytes are not of this framing; no more are read. */
  readonly broken: (problem: string) => void
}

type Push = (chunk: Buffer) => void

/** How many bytes of headers a message may have. */
const maxHeaderBytes = 8_192

const headersEnd = "\r\n\r\n"

/**
 * Makes the parser of one client.
 *
 * @param limit the longest message, in bytes
 * @returns a function that receives the next bytes
 */
export const make = (limit: number, { broken, message }: MessageListener): Push => {
  const body = ByteCollector.make()
  let headers = ""
  let left = 0
  let isBroken = false
  const give = (up: string) => {
    isBroken = true
    broken(up)
  }
  const begin = () => {
    const [, length = ""] = /^content-length:[ \t]*(\d{1,16})[ \t]*$/im.exec(headers) ?? []
    headers = ""
    left = Number(length)
    if (left <= 0) give("A message must have a Content-Length header with its length in bytes.")
    else if (left > limit) give(`A message is longer than ${limit} bytes.`)
  }
  return (chunk) => {
    let at = 0
    while (at < chunk.length && !isBroken) {
      if (left > 0) {
        const piece = chunk.subarray(at, at + left)
        at += piece.length
        left -= piece.length
        if (left > 0) body.add(piece)
        else message(body.take(piece).toString("utf8"))
        continue
      }
      const before = headers.length
      headers += chunk.toString("latin1", at, at + maxHeaderBytes)
      const end = headers.indexOf(headersEnd, Math.max(0, before - headersEnd.length))
      if (end < 0) {
        if (headers.length > maxHeaderBytes) give(`The headers of a message have more than ${maxHeaderBytes} bytes.`)
        return
      }
      at += end + headersEnd.length - before
      headers = headers.slice(0, end)
      begin()
    }
  }
}

const first = "content-length:"

/** Chooses one of two framers by the first bytes that arrive. */
export const choose = (withHeaders: () => Push, lines: Push): Push => {
  let chosen: Push | undefined
  let held = Buffer.alloc(0)
  return (chunk) => {
    if (chosen !== undefined) return chosen(chunk)
    held = Buffer.concat([held, chunk])
    const begun = held.toString("latin1", 0, first.length).toLowerCase()
    if (begun.length < first.length && first.startsWith(begun)) return undefined
    chosen = begun === first ? withHeaders() : lines
    chosen(held)
    held = Buffer.alloc(0)
    return undefined
  }
}
