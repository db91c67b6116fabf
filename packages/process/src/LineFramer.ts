/**
 * Splits bytes into lines, in time and memory linear in the bytes.
 */
import { isUtf8 } from "node:buffer"
import * as ByteCollector from "./ByteCollector.ts"
import type * as JsonBounds from "./JsonBounds.ts"

/** Receives the lines of one stream, before the call of the framer with their chunk returns. */
export interface LineListener {
  /**
   * Called once for each complete line, in the order of the stream.
   *
   * @param line the text of the line, without its line break
   */
  readonly line: (line: string) => void
  /**
   * Called once for a line that exceeds a limit, as soon as it does; the rest of the line is discarded.
   *
   * @param excess the limit of its JSON's shape; `undefined` for the limit of bytes
   */
  readonly oversize: (excess?: JsonBounds.Excess) => void
  /**
   * Called instead of `line` for a line that is not UTF-8. If omitted, invalid bytes become U+FFFD and `line` is
   * called.
   */
  readonly garbled?: () => void
}

const newline = 0x0a
const carriageReturn = 0x0d

/** What ends a line, and what it may contain. */
export interface Options {
  /** Whether a carriage return ends a line too, alone or before a newline. False by default. */
  readonly carriageReturns?: boolean
  /** Limits of the JSON in a line of more than 1 MiB, checked as it arrives. None by default. */
  readonly bounds?: JsonBounds.JsonBounds | undefined
}

/**
 * Splits the next chunk of a stream into lines.
 *
 * @param chunk the next bytes, cut anywhere
 */
export type Framer = (chunk: Buffer) => void

/**
 * Makes a framer for one stream. A last line without a line break is not delivered.
 *
 * @param limit the longest line, in bytes
 * @param listener receives each line, and a call of `oversize` for each line that exceeds a limit
 * @param options what ends a line, and the limits of its JSON; by default only a newline, and no limits
 * @returns the handler of the stream's chunks
 */
export const make = (
  limit: number,
  listener: LineListener,
  { bounds, carriageReturns = false }: Options = {},
): Framer => {
  const { garbled } = listener
  const collected = ByteCollector.make(bounds)
  const plain = bounds === undefined ? limit : Math.min(limit, ByteCollector.small)
  let discarding = false
  let skipNewline = false

  const hear = (bytes: Buffer, from = 0, end = bytes.length) => {
    if (garbled !== undefined && !isUtf8(bytes.subarray(from, end))) garbled()
    else listener.line(bytes.toString("utf8", from, end))
  }

  /** @param isEnd whether the line ends with this piece */
  const collect = (piece: Buffer, isEnd: boolean) => {
    if (!discarding) {
      const isLong = collected.size() + piece.length > limit
      const excess = isLong ? undefined : collected.excess(piece)
      if (isLong || excess !== undefined) {
        discarding = true
        collected.forget()
        listener.oversize(excess)
      }
    }
    if (discarding) discarding = !isEnd
    else if (isEnd) hear(collected.take(piece))
    else collected.add(piece)
  }

  return (chunk) => {
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
      // Most lines are short and arrive whole.
      if (at >= 0 && at - from <= plain && !discarding && collected.size() === 0) hear(chunk, from, at)
      else collect(chunk.subarray(from, at < 0 ? chunk.length : at), at >= 0)
      if (at < 0) return
      from = at + 1
      if (isReturn && from === chunk.length) skipNewline = true
      else if (isReturn && chunk[from] === newline) from++
    }
  }
}

/** Finds the next byte of a kind. Calls with a growing `from` take time linear in the chunk together. */
const finder = (chunk: Buffer, byte: number): ((from: number) => number) => {
  let at = chunk.indexOf(byte)
  return (from) => {
    if (at >= 0 && at < from) at = chunk.indexOf(byte, from)
    return at
  }
}
const nowhere = () => -1
