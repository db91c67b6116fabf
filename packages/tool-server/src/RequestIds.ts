/**
 * The ids of one client's requests under way: an id belongs to one request at a time.
 *
 * @see Model Context Protocol 2025-11-25, base protocol, requests
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"

/** The requests of one client. */
export interface RequestIds {
  readonly underWay: ReadonlySet<RequestId>
  /** Whether a message is a request with an id that is under way. */
  readonly isTaken: (message: JSONRPCMessage) => boolean
  /** Whether a message is a request with an id that was cancelled before it arrived. True once per cancellation. */
  readonly wasCancelled: (message: JSONRPCMessage) => boolean
  /** Records a message of the client: a request, or a cancellation. */
  readonly heard: (message: JSONRPCMessage) => void
  /** Records a message of the server, which may answer a request. */
  readonly said: (message: JSONRPCMessage) => void
}

/** The problem of a request with an id that is under way. It has no id, since the id belongs to the other request. */
export const taken = JsonRpcMessage.invalid("A request with this id is under way. Use a unique id for each request.")

/** The problem that answers a cancelled request. */
export const cancelled = (id: RequestId): JsonRpcMessage.Problem => ({
  code: -32_800,
  message: "The call was cancelled.",
  id,
})

/** How many ids that are not under way are remembered; longer ids are invalid. */
const maxIds = 64
const maxIdBytes = JsonRpcMessage.defaults.maxNameBytes

/** Starts without requests. */
export const make = (): RequestIds => {
  const underWay = new Set<RequestId>()
  /** Ended requests, and in `ahead` cancellations that arrived before their request: each may use its own connection. */
  const over = new Set<RequestId>()
  const ahead = new Set<RequestId>()
  const keep = (ids: Set<RequestId>, id: RequestId) => {
    ids.add(id)
    const [oldest] = ids
    if (ids.size > maxIds && oldest !== undefined) ids.delete(oldest)
  }
  const end = (id: RequestId) => {
    if (underWay.delete(id)) keep(over, id)
  }
  const isRequest = (message: JSONRPCMessage) => "method" in message && "id" in message
  return {
    underWay,
    isTaken: (message) => isRequest(message) && underWay.has((message as { readonly id: RequestId }).id),
    wasCancelled: (message) => isRequest(message) && ahead.delete((message as { readonly id: RequestId }).id),
    heard: (message) => {
      if ("method" in message && "id" in message) {
        underWay.add(message.id)
        over.delete(message.id)
      } else {
        const id = JsonRpc.cancelledBy(message as JsonRpc.JsonRpcMessage)
        if (id === undefined || (typeof id === "string" && id.length > maxIdBytes)) return
        if (!underWay.has(id) && !over.has(id)) keep(ahead, id)
        end(id)
      }
    },
    said: (message) => {
      if (!("method" in message) && message.id !== undefined) end(message.id)
    },
  }
}
