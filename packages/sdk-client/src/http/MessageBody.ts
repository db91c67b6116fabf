/**
 * Messages in the body of a reply: one as JSON, or many as server-sent events.
 */
import * as ByteCollector from "@zain/process/ByteCollector"
import type * as JsonBounds from "@zain/process/JsonBounds"
import { type JsonRpcMessage, parse } from "@zain/process/JsonRpc"
import type { HttpTarget } from "../McpWire.ts"
import type { BodyReader } from "./HttpResponse.ts"
import * as SseFramer from "./SseFramer.ts"

/**
 * - `message`: one message; what is none is not told
 * - `oversize`: a message is too large, or this of its shape is, and it is not read
 * - `end`: the body is over
 */
export interface MessageListener {
  readonly message: (message: JsonRpcMessage) => void
  readonly oversize: (excess?: JsonBounds.Excess) => void
  readonly end: () => void
}

/** How large a message may be: in bytes, and in its shape. */
export type Bounds = Pick<HttpTarget, "maxMessageBytes" | "shape">

/** A body that is one message. */
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

/**
 * - `id`, `retry`: see `SseFramer`
 * - `event`: an event that is no message
 */
export interface StreamListener extends MessageListener {
  readonly id?: (id: string) => void
  readonly retry?: (millis: number) => void
  readonly event?: (type: string, data: string) => void
}

/** A body that is a stream of events. */
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
