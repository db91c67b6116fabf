/**
 * Wraps the SDK's HTTP transport, which ends the stream of a call with its answer only: a cancelled call has no answer.
 */
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js"
import * as JsonRpc from "@zain/process/JsonRpc"
import * as Result from "effect/Result"
import * as Batch from "../Batch.ts"
import * as JsonRpcMessage from "../JsonRpcMessage.ts"
import * as JsonSize from "../JsonSize.ts"
import type { PacedTransport } from "../PacedTransport.ts"
import * as RequestIds from "../RequestIds.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { SlowReader } from "./StalledReader.ts"

/** The streams of one session; the SDK would answer a request with the id of another that is under way. */
export interface CallStreams extends Pick<RequestIds.RequestIds, "isTaken"> {
  /** The transport of the session. */
  readonly transport: PacedTransport
  /** Executes a batch and returns its answers; `undefined` if it has no requests, or if the session ends. */
  readonly batch: (batch: JsonRpcMessage.Batch) => Promise<ReadonlyArray<object> | undefined>
  /**
   * Registers the stream of a request, or without an id the session's own stream. Returns the function to call at its end.
   */
  readonly reads: (request: RequestId | undefined, reader: SlowReader) => () => void
}

/** A request under way whose stream broke. Its messages are stored, if at all, until the client reads again. */
interface Away {
  bytes: number
  readonly back: PromiseWithResolvers<void>
}

/**
 * Wraps a transport. Ends the stream of a call that the client cancels, with an answer that clients ignore.
 *
 * @see Model Context Protocol 2025-11-25, cancellation
 */
export const make = (inner: Transport, { maxAheadBytes }: Pick<HttpLimits, "maxAheadBytes">): CallStreams => {
  const ids = RequestIds.make()
  /** The requests under way that belong to a batch, and have no stream. */
  const batched = new Set<RequestId>()
  const batches = new Set<() => void>()
  const readers = new Map<RequestId | undefined, SlowReader>()
  const away = new Map<RequestId, Away>()
  const back = (id: RequestId) => {
    away.get(id)?.back.resolve()
    away.delete(id)
  }
  const leave = (id: RequestId) => {
    if (!ids.underWay.has(id) || batched.has(id) || readers.has(id) || away.has(id)) return
    away.set(id, { bytes: 0, back: Promise.withResolvers() })
  }
  const cancelled = (message: JSONRPCMessage) => JsonRpc.cancelledBy(message as JsonRpc.JsonRpcMessage)
  const endCancelled = (message: JSONRPCMessage) => {
    const id = cancelled(message)
    if (id === undefined) return
    back(id)
    inner.send(JsonRpcMessage.refusal(RequestIds.cancelled(id)) as JSONRPCMessage).catch(() => {})
  }
  const outer: PacedTransport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        ids.heard(message)
        outer.onmessage?.(message, extra)
        endCancelled(message)
      }
      inner.onerror = (error) => outer.onerror?.(error)
      inner.onclose = () => {
        for (const end of batches) end()
        for (const id of away.keys()) back(id)
        outer.onclose?.()
      }
      return inner.start()
    },
    // A message of an ended call is sent on the session's own stream.
    send: (message, options) => {
      ids.said(message)
      const related = options?.relatedRequestId
      const unread = related === undefined ? undefined : away.get(related)
      if (unread !== undefined) unread.bytes += JsonSize.of(message)
      if (!("method" in message) && message.id !== undefined) back(message.id)
      if (related !== undefined && batched.has(related)) return inner.send(message)
      return inner.send(message, options).catch((error) => {
        if (cancelled(message) === undefined) throw error
        return inner.send(message)
      })
    },
    close: () => inner.close(),
    room: (request) => {
      const unread = away.get(request)
      if (unread !== undefined) return unread.bytes > maxAheadBytes ? unread.back.promise : undefined
      return (readers.get(request) ?? readers.get(undefined))?.room()
    },
    get sessionId() {
      return inner.sessionId
    },
  }
  return {
    transport: outer,
    isTaken: ids.isTaken,
    batch: (batch) =>
      new Promise((resolve) => {
        const messages = batch.filter(Result.isSuccess).map(({ success }) => success)
        const own = messages.flatMap((message) =>
          "method" in message && "id" in message && !ids.isTaken(message) ? [message.id] : [],
        )
        const end = (answers?: ReadonlyArray<object>) => {
          batches.delete(end)
          for (const id of own) batched.delete(id)
          for (const answer of answers ?? []) ids.said(answer as JSONRPCMessage)
          resolve(answers)
        }
        batches.add(end)
        for (const id of own) batched.add(id)
        for (const message of messages) ids.heard(message)
        outer.onbatch?.(batch, end)
        for (const message of messages) endCancelled(message)
        if (!batch.some(Batch.isAnswered)) end()
      }),
    reads: (request, reader) => {
      readers.set(request, reader)
      // A client that has come back reads the messages of all its calls on one stream.
      for (const id of request === undefined ? away.keys() : [request]) back(id)
      return () => {
        if (readers.get(request) !== reader) return
        readers.delete(request)
        for (const id of request === undefined ? ids.underWay : [request]) leave(id)
      }
    },
  }
}
