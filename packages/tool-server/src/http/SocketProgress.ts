/**
 * Measures whether a client reads, by the bytes that have left for it.
 */
import type { Socket } from "node:net"

/** Node's internal handle of a connection, which Node itself checks before it reports a timeout. */
interface Handle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

/**
 * Returns how many written bytes have left this process. Node's own `bytesWritten` of a socket counts a write of many
 * megabytes only when its last byte has left.
 */
export const of = (connection: Socket | null): number => {
  const { _handle: handle } = (connection ?? {}) as { readonly _handle?: Partial<Handle> | null }
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}
