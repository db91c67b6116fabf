/**
 * A transport of the SDK, and what the SDK's have not.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { RequestId } from "@modelcontextprotocol/sdk/types.js"
import type { TakeBatch } from "./Batch.ts"
import type { ReadingRoom } from "./ReadingRoom.ts"

/**
 * - `room`: what to wait for before more is said about a request whose client has fallen behind with reading
 * - `onbatch`: takes a batch; absent while the session takes none
 */
export interface PacedTransport extends Transport {
  readonly room?: (request: RequestId) => ReturnType<ReadingRoom>
  onbatch?: TakeBatch
}
