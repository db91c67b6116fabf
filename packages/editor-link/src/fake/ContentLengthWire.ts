/**
 * Frames of the protocol of uLoopMCP, as Unity reads and writes them.
 */
import type { BytePile } from "./BytePile.ts"
import type { Read } from "./FakeProtocol.ts"

/** How many bytes Unity reads at once. */
export const readSize = 4096

/** How many bytes may wait before it closes the connection. */
const maxWaitingBytes = 2 ** 20

/** What cannot be read piles up in silence. */
export const read = (pile: BytePile): Read => {
  if (pile.length > maxWaitingBytes) return { _tag: "close" }
  const bytes = pile.view()
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return { _tag: "wait" }
  const length = lengthIn(bytes.toString("latin1", 0, end))
  const size = end + 4 + length
  if (length <= 0 || bytes.length < size) return { _tag: "wait" }
  return { _tag: "frame", size, text: bytes.toString("utf8", end + 4, size) }
}

/** 0 where no line names a length. */
const lengthIn = (head: string): number => {
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":")
    const value = line.slice(colon + 1).trim()
    if (line.slice(0, colon).trim().toLowerCase() === "content-length" && /^\d{1,10}$/.test(value)) return Number(value)
  }
  return 0
}

export const frame = (text: string): ReadonlyArray<Buffer> => [withLength(Buffer.byteLength(text), text)]

export const withLength = (length: number | undefined, text: string): Buffer =>
  Buffer.from(`Content-Length: ${length ?? "many"}\r\n\r\n${text}`)
