/**
 * Frames of the protocol of `unity`, as Unity reads and writes them: a length of 4 bytes, signed and big-endian, and UTF-8.
 */
import type { BytePile } from "./BytePile.ts"
import type { Read } from "./FakeProtocol.ts"

/** How many bytes a frame has at most; Unity itself has no limit, and waits for the rest. */
const maxFrameBytes = 2 ** 26

const maxPrefix = 2 ** 31 - 1

/** How many bytes are read at once: it makes no difference here. */
export const readSize = 65_536

export const read = (pile: BytePile): Read => {
  if (pile.length < 4) return { _tag: "wait" }
  const length = pile.view(0, 4).readInt32BE()
  if (length < 0 || length === maxPrefix) return { _tag: "close" }
  const size = 4 + length
  if (length > maxFrameBytes) return { _tag: "skip", size }
  if (pile.length < size) return { _tag: "wait" }
  return { _tag: "frame", size, text: pile.view(4, size).toString("utf8") }
}

const header = (length: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(length)
  return bytes
}

/** Unity writes the length by itself, so that it can arrive by itself. */
export const frame = (text: string): ReadonlyArray<Buffer> => {
  const body = Buffer.from(text)
  return [header(body.length), body]
}

export const withLength = (length: number | undefined, text: string): Buffer =>
  length === undefined ? Buffer.from(text) : Buffer.concat([header(length), Buffer.from(text)])
