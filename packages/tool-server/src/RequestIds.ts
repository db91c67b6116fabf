/**
 * Which requests of one client are under way: an id names one at a time.
 *
 * @see Model Context Protocol 2025-11-25, base protocol, requests
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"

/**
 * - `isTaken`: whether a message asks under an id that is under way
 * - `wasCancelled`: whether a message asks under an id that was cancelled before it came. Says so once
 * - `heard`: the client's message begins a request, or cancels one
 * - `said`: our message may answer one
 */
export interface RequestIds {
  readonly isTaken: (message: JSONRPCMessage) => boolean
  readonly wasCancelled: (message: JSONRPCMessage) => boolean
  readonly heard: (message: JSONRPCMessage) => void
  readonly said: (message: JSONRPCMessage) => void
}

/** Why a request is not taken. It has no id: that is another request's, which goes on. */
export const taken = JsonRpcMessage.invalid("A request with this id is under way. Give each an id of its own.")

/** What a request is answered that its sender has given up. */
export const cancelled = (id: RequestId): JsonRpcMessage.Problem => ({
  code: -32_800,
  message: "The call was cancelled.",
  id,
})

/** How many ids are remembered that are not under way. A longer one is no request's. */
const most = 64
const longest = JsonRpcMessage.defaults.maxNameBytes

/** No requests yet. */
export const make = (): RequestIds => {
  const underWay = new Set<RequestId>()
  /** On its own connection, a cancellation can overtake its call; one of these comes late, and one of `ahead` early. */
  const over = new Set<RequestId>()
  const ahead = new Set<RequestId>()
  const keep = (ids: Set<RequestId>, id: RequestId) => {
    ids.add(id)
    const [oldest] = ids
    if (ids.size > most && oldest !== undefined) ids.delete(oldest)
  }
  const end = (id: RequestId) => {
    if (underWay.delete(id)) keep(over, id)
  }
  const isRequest = (message: JSONRPCMessage) => "method" in message && "id" in message
  return {
    isTaken: (message) => isRequest(message) && underWay.has((message as { readonly id: RequestId }).id),
    wasCancelled: (message) => isRequest(message) && ahead.delete((message as { readonly id: RequestId }).id),
    heard: (message) => {
      if ("method" in message && "id" in message) {
        underWay.add(message.id)
        over.delete(message.id)
      } else {
        const id = JsonRpc.cancelledBy(message as JsonRpc.JsonRpcMessage)
        if (id === undefined || (typeof id === "string" && id.length > longest)) return
        if (!underWay.has(id) && !over.has(id)) keep(ahead, id)
        end(id)
      }
    },
    said: (message) => {
      if (!("method" in message) && message.id !== undefined) end(message.id)
    },
  }
}
