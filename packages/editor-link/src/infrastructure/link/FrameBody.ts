/**
 * The bodies of frames whose length is known: collected, or skipped where they are over the limit.
 */
import * as ByteCollector from "@zain/process/ByteCollector"
import type { FrameListener } from "../../domain/EditorProfile.ts"

/** A frame longer than this is none, in bytes: 1 GiB. */
export const maxFrameBytes = 2 ** 30

/** How much of a frame over the limit is kept: enough for the id of its call, in bytes. */
const beginningBytes = 4_096

export interface FrameBody {
  /** Starts a frame of this many bytes. */
  readonly begin: (length: number) => void
  /** Whether bytes of a frame are missing. */
  readonly isOpen: () => boolean
  /** Takes what of a chunk belongs to the frame, from a place on; returns where the rest begins. */
  readonly take: (chunk: Buffer, from: number) => number
}

/** @param limit the largest frame that is read, in bytes */
export const make = (limit: number, { begun, frame, oversize }: FrameListener): FrameBody => {
  const collected = ByteCollector.make()
  let length = 0
  let left = 0
  return {
    begin: (bytes) => {
      length = bytes
      left = bytes
      begun(bytes)
    },
    isOpen: () => left > 0,
    take: (chunk, from) => {
      const piece = chunk.subarray(from, from + left)
      left -= piece.length
      const isOver = length > limit
      const kept = isOver ? piece.subarray(0, Math.max(0, beginningBytes - collected.size())) : piece
      if (left > 0) {
        if (kept.length > 0) collected.add(kept)
      } else {
        const text = collected.take(kept).toString("utf8")
        if (isOver) oversize(text, length)
        else frame(text)
      }
      return from + piece.length
    },
  }
}
