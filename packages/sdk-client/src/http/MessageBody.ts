/**
 * Messages in the body of a reply: one as JSON, or many as server-sent events.
 */
import * as ByteCollector from "../ByteCollector.ts"
import { type JsonRpcMessage, parse } from "../JsonRpc.ts"
import type { BodyReader } from "./HttpReply.ts"
import * as SseFramer from "./SseFramer.ts"

/**
 * - `message`: one message; what is none is not told
 * - `oversize`: a message is too large, and is not read
 * - `end`: the body is over
 */
export interface MessageListener {
  readonly message: (message: JsonRpcMessage) => void
  readonly oversize: () => void
  readonly end: () => void
}

/** A body that is one message. */
export const json = (limit: number, { end, message, oversize }: MessageListener): BodyReader => {
  const collected = ByteCollector.make()
  let isOver = false
  return {
    data: (chunk) => {
      if (isOver) return
      isOver = collected.size() + chunk.length > limit
      if (!isOver) return collected.add(chunk)
      collected.forget()
      oversize()
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
  readonly id: (id: string) => void
  readonly retry: (millis: number) => void
  readonly event: (type: string, data: string) => void
}

/** A body that is a stream of events. */
export const stream = (limit: number, listener: StreamListener): BodyReader => ({
  data: SseFramer.make(limit, {
    ...listener,
    event: (type, data) => {
      if (type !== "message") listener.event(type, data)
      else if (data !== "") read(data, listener.message)
    },
  }),
  end: listener.end,
})

const read = (text: string, tell: (message: JsonRpcMessage) => void) => {
  const message = parse(text)
  if (message !== undefined) tell(message)
}
