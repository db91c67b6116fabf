/**
 * The SDK's transport with backpressure and batches.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { TakeBatch } from "./Batch.ts"
import type { ReadingRoom } from "./ReadingRoom.ts"

/** A transport that reports whether its client reads. */
export interface PacedTransport extends Transport {
  /** Returns the promise to wait for before sending more about a request; `undefined` if the client keeps up. */
  readonly room?: (request: RequestId) => ReturnType<ReadingRoom>
  /** The largest result for a client that declares no limit of its own, in bytes; any size if absent. */
  readonly maxResultBytes?: number
  /** Executes a batch; absent while the session accepts none. */
  onbatch?: TakeBatch
}
