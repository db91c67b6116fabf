/**
 * Whether a client reads, told by what has left for it.
 */
import type { Socket } from "node:net"

/** What Node keeps of a connection, and looks at itself before it says that a connection timed out. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/**
 * How many bytes of what was written to a connection have left this process. What Node tells of a connection counts a
 * write of many megabytes only when the last of it has left.
 */
export const of = (connection: Socket | null): number => {
  const { _handle: handle } = (connection ?? {}) as { readonly _handle?: Partial<Handle> | null }
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}
