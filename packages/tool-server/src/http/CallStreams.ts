/**
 * A transport over HTTP as a session needs it: the SDK's ends the stream of a call with its answer, and a call that is
 * cancelled has none.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import * as RequestIds from "../RequestIds.ts"
import type { PacedTransport } from "../ToolServer.ts"
import type { SlowReader } from "./SlowReader.ts"

/**
 * - `isTaken`: whether a message asks under an id that is under way. The SDK would give it the answer of the other
 * - `reads`: a stream has begun on which the client reads what is said about a request, or, without an id, what has no
 *   stream of its own any more. Returns what is called when it ends
 */
export interface CallStreams extends Pick<RequestIds.RequestIds, "isTaken"> {
  readonly transport: PacedTransport
  readonly reads: (request: RequestId | undefined, reader: SlowReader) => () => void
}

/**
 * Ends the stream of a call that the client cancels, so that neither side keeps it. Clients ignore a late answer.
 *
 * @see Model Context Protocol 2025-11-25, cancellation
 */
export const make = (inner: Transport): CallStreams => {
  const ids = RequestIds.make()
  const readers = new Map<RequestId | undefined, SlowReader>()
  const cancelled = (message: JSONRPCMessage) => JsonRpc.cancelledBy(message as JsonRpc.JsonRpcMessage)
  const outer: PacedTransport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        ids.heard(message)
        outer.onmessage?.(message, extra)
        const id = cancelled(message)
        if (id === undefined) return
        inner.send(JsonRpcMessage.refusal(RequestIds.cancelled(id)) as JSONRPCMessage).catch(() => {})
      }
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onclose = () => outer.onclose?.()
      return inner.start()
    },
    // What still belongs to a call that is over is said to whoever listens to the session.
    send: (message, options) => {
      ids.said(message)
      return inner.send(message, options).catch((error) => {
        if (cancelled(message) === undefined) throw error
        return inner.send(message)
      })
    },
    close: () => inner.close(),
    room: (request) => (readers.get(request) ?? readers.get(undefined))?.room(),
    get sessionId() {
      return inner.sessionId
    },
  }
  return {
    transport: outer,
    isTaken: ids.isTaken,
    reads: (request, reader) => {
      readers.set(request, reader)
      return () => {
        if (readers.get(request) === reader) readers.delete(request)
      }
    },
  }
}
