/**
 * What clients have sent of messages that are not whole yet: one budget for all of them.
 *
 * @see promise 27
 */
import type { HttpLimits } from "./HttpLimits.ts"

/**
 * - `more`: so many bytes of the message have arrived
 * - `end`: the message is whole, or given up
 */
export interface Part {
  readonly more: (bytes: number) => void
  readonly end: () => void
}

/** Counts a message more. `giveUp` is called when there is no room for what has arrived of it. */
export type Incoming = (giveUp: () => void) => Part

/** Messages of which less has arrived are never given up, in bytes: a request without a large argument has no more. */
const small = 64 * 1024

/** When more than `maxIncomingBytes` have arrived, the messages are given up that began first, until the rest fits. */
export const make = ({ maxIncomingBytes }: Pick<HttpLimits, "maxIncomingBytes">): Incoming => {
  /** The oldest first. */
  const parts = new Map<Part, { bytes: number; readonly giveUp: () => void }>()
  let total = 0

  const makeRoom = () => {
    for (const [part, { bytes, giveUp }] of parts) {
      if (total <= maxIncomingBytes) return
      if (bytes <= small) continue
      part.end()
      giveUp()
    }
  }
  return (giveUp) => {
    const count = { bytes: 0, giveUp }
    const part: Part = {
      more: (bytes) => {
        if (!parts.has(part)) return
        count.bytes += bytes
        total += bytes
        makeRoom()
      },
      end: () => {
        if (parts.delete(part)) total -= count.bytes
      },
    }
    parts.set(part, count)
    return part
  }
}
