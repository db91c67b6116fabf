/**
 * Which requests of one client are under way: an id names one at a time.
 *
 * @see Model Context Protocol 2025-11-25, base protocol, requests
 */
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpc from "@zain/sdk-client/JsonRpc"
import * as JsonRpcMessage from "./JsonRpcMessage.ts"

/**
 * - `isTaken`: whether a message asks under an id that is under way
 * - `heard`: the client's message begins a request, or cancels one
 * - `said`: our message may answer one
 */
export interface RequestIds {
  readonly isTaken: (message: JSONRPCMessage) => boolean
  readonly heard: (message: JSONRPCMessage) => void
  readonly said: (message: JSONRPCMessage) => void
}

/** Why a request is not taken. It has no id: that is another request's, which goes on. */
export const taken = JsonRpcMessage.invalid("A request with this id is under way. Give each an id of its own.")

/** No requests yet. */
export const make = (): RequestIds => {
  const underWay = new Set<RequestId>()
  const isRequest = (message: JSONRPCMessage) => "method" in message && "id" in message
  return {
    isTaken: (message) => isRequest(message) && underWay.has((message as { readonly id: RequestId }).id),
    heard: (message) => {
      if ("method" in message && "id" in message) underWay.add(message.id)
      else {
        const cancelled = JsonRpc.cancelledBy(message as JsonRpc.JsonRpcMessage)
        if (cancelled !== undefined) underWay.delete(cancelled)
      }
    },
    said: (message) => {
      if (!("method" in message) && message.id !== undefined) underWay.delete(message.id)
    },
  }
}
