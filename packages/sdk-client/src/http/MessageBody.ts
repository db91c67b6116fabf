/**
 * Messages in the body of a reply: one as JSON, or many as server-sent events.
 */
import * as ByteCollector from "../ByteCollector.ts"
import { isMessage, type JsonRpcMessage } from "../JsonRpc.ts"
import type { BodyReader } from "./HttpReply.ts"
import * as SseFramer from "./SseFramer.ts"

/**
 * - `message`: one message
 * - `malformed`: something that is none
 * - `oversize`: a message is too large, and is not read
 * - `end`: the body is over
 */
export interface MessageListener {
  readonly message: (message: JsonRpcMessage) => void
  readonly malformed: () => void
  readonly oversize: () => void
  readonly end: () => void
}

/** A body that is one message. */
export const json = (limit: number, { end, malformed, message, oversize }: MessageListener): BodyReader => {
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
      if (!isOver) read(collected.take(), message, malformed)
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
      else if (data !== "") read(data, listener.message, listener.malformed)
    },
  }),
  end: listener.end,
})

/** What is parsed is told outside of the `try`: a listener's own failure is not the server's. */
const read = (text: string, message: (message: JsonRpcMessage) => void, malformed: () => void) => {
  const value = parse(text)
  if (isMessage(value)) message(value)
  else malformed()
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
