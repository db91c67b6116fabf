/**
 * Bytes to lines, in time and memory linear in what arrives.
 */
import { isUtf8 } from "node:buffer"
import * as ByteCollector from "./ByteCollector.ts"
import type * as JsonBounds from "./JsonBounds.ts"

/**
 * - `line`: a whole line, without its end
 * - `oversize`: a line grew past the limit, or its JSON past this one of the bounds; the rest of it is thrown away. Told
 *   once a line
 * - `garbled`: instead of `line`, for a line that is no UTF-8. Without it such bytes are replaced
 */
export interface LineListener {
  readonly line: (line: string) => void
  readonly oversize: (excess?: JsonBounds.Excess) => void
  readonly garbled?: () => void
}

const newline = 0x0a
const carriageReturn = 0x0d

/**
 * - `carriageReturns`: whether a carriage return ends a line too, alone or before a newline
 * - `bounds`: of the JSON in a line, judged as it arrives
 */
export interface Options {
  readonly carriageReturns?: boolean
  readonly bounds?: JsonBounds.JsonBounds | undefined
}

/**
 * A framer for one stream.
 *
 * @param limit the longest line, in bytes
 * @param listener who hears the lines
 * @returns takes the next bytes of the stream
 */
export const make = (
  limit: number,
  listener: LineListener,
  { bounds, carriageReturns = false }: Options = {},
): ((chunk: Buffer) => void) => {
  const { garbled } = listener
  const collected = ByteCollector.make(bounds)
  const plain = bounds === undefined ? limit : Math.min(limit, ByteCollector.small)
  let discarding = false
  let skipNewline = false

  const hear = (bytes: Buffer, end = bytes.length) => {
    if (garbled !== undefined && !isUtf8(bytes.subarray(0, end))) garbled()
    else listener.line(bytes.toString("utf8", 0, end))
  }

  /** Most chunks are one line. */
  const isLine = (chunk: Buffer): boolean => {
    const end = chunk.length - 1
    return (
      chunk[end] === newline &&
      end <= plain &&
      !carriageReturns &&
      !discarding &&
      collected.size() === 0 &&
      chunk.indexOf(newline) === end
    )
  }

  return (chunk) => {
    if (isLine(chunk)) return hear(chunk, chunk.length - 1)
    const newlines = finder(chunk, newline)
    const returns = carriageReturns ? finder(chunk, carriageReturn) : nowhere
    let from = 0
    if (skipNewline && chunk.length > 0) {
      skipNewline = false
      if (chunk[0] === newline) from = 1
    }
    while (from < chunk.length) {
      const lf = newlines(from)
      const cr = returns(from)
      const isReturn = cr >= 0 && (lf < 0 || cr < lf)
      const at = isReturn ? cr : lf
      const piece = chunk.subarray(from, at < 0 ? chunk.length : at)
      if (!discarding) {
        const isLong = collected.size() + piece.length > limit
        const excess = isLong ? undefined : collected.excess(piece)
        if (isLong || excess !== undefined) {
          discarding = true
          collected.forget()
          listener.oversize(excess)
        }
      }
      if (at < 0) {
        if (!discarding) collected.add(piece)
        return
      }
      if (discarding) discarding = false
      else hear(collected.take(piece))
      from = at + 1
      if (isReturn && from === chunk.length) skipNewline = true
      else if (isReturn && chunk[from] === newline) from++
    }
  }
}

/** Where a byte is next, in time linear in the chunk however often it is asked with a growing `from`. */
const finder = (chunk: Buffer, byte: number): ((from: number) => number) => {
  let at = chunk.indexOf(byte)
  return (from) => {
    if (at >= 0 && at < from) at = chunk.indexOf(byte, from)
    return at
  }
}
const nowhere = () => -1
