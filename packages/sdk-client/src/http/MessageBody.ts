/**
 * Reads the messages in the body of a response: one as JSON, or many as server-sent events.
 */
import * as ByteCollector from "@zain/process/ByteCollector"
import type * as JsonBounds from "@zain/process/JsonBounds"
import { type JsonRpcMessage, parse } from "@zain/process/JsonRpc"
import type { HttpTarget } from "../McpWire.ts"
import type { BodyReader } from "./HttpResponse.ts"
import * as SseFramer from "./SseFramer.ts"

/** Receives the messages of a body. */
export interface MessageListener {
  /** Receives one JSON-RPC message; anything else is ignored. */
  readonly message: (message: JsonRpcMessage) => void
  /** Called for a message that exceeds the bounds and is not read. `excess`: the bound of its shape; its length if absent. */
  readonly oversize: (excess?: JsonBounds.Excess) => void
  /** Called when the body is complete. */
  readonly end: () => void
}

/** The bounds of a message: its length in bytes, and its shape. */
export type Bounds = Pick<HttpTarget, "maxMessageBytes" | "shape">

/** Reads a body that is one message. */
export const json = (bounds: Bounds, { end, message, oversize }: MessageListener): BodyReader => {
  const collected = ByteCollector.make(bounds.shape)
  let isOver = false
  return {
    data: (chunk) => {
      if (isOver) return
      const isLong = collected.size() + chunk.length > bounds.maxMessageBytes
      const excess = isLong ? undefined : collected.excess(chunk)
      isOver = isLong || excess !== undefined
      if (!isOver) return collected.add(chunk)
      collected.forget()
      oversize(excess)
    },
    end: () => {
      if (!isOver) read(collected.take().toString("utf8"), message)
      end()
    },
  }
}

/** Receives the messages of a stream, and its other events. */
export interface StreamListener extends MessageListener {
  /** See `SseListener.id`. */
  readonly id?: (id: string) => void
  /** See `SseListener.retry`. */
  readonly retry?: (millis: number) => void
  /** Receives an event of another type than `message`. */
  readonly event?: (type: string, data: string) => void
}

/** Reads a body that is a stream of events. */
export const stream = ({ maxMessageBytes, shape }: Bounds, listener: StreamListener): BodyReader => ({
  data: SseFramer.make(
    maxMessageBytes,
    {
      ...listener,
      event: (type, data) => {
        if (type !== "message") listener.event?.(type, data)
        else if (data !== "") read(data, listener.message)
      },
    },
    shape,
  ),
  end: listener.end,
})

const read = (text: string, tell: (message: JsonRpcMessage) => void) => {
  const message = parse(text)
  if (message !== undefined) tell(message)
}
