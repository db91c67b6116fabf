/**
 * One memory budget for the incomplete messages of all clients.
 *
 * @see docs/internals/promises.md, 27
 */
import type { HttpLimits } from "./HttpLimits.ts"

/** An incomplete message. */
export interface Part {
  /** Counts bytes that have arrived. */
  readonly more: (bytes: number) => void
  /** Called when the message is complete or rejected. */
  readonly end: () => void
}

/** Adds a message to the budget. `giveUp` is called if the message must be rejected. */
export type Incoming = (giveUp: () => void) => Part

/** Messages with at most so many bytes are never rejected: a request without a large argument is smaller. */
const small = 64 * 1024

/** Above `maxIncomingBytes`, the oldest messages are rejected until the rest fits. */
export const make = ({ maxIncomingBytes }: Pick<HttpLimits, "maxIncomingBytes">): Incoming => {
  /** Ordered by age, oldest first. */
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
