/**
 * What a session's streams have said last, for a client that comes back to where its connection broke.
 *
 * @see Model Context Protocol 2025-11-25, transports, resumability and redelivery
 */
import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import type { HttpLimits } from "./HttpLimits.ts"

interface StoredEvent {
  readonly id: string
  readonly stream: string
  readonly at: number
  readonly message: JSONRPCMessage
  readonly size: number
}

/**
 * The SDK's store, and more.
 *
 * - `rest`: how many events a stream still says after one of them, or `undefined` while the stream goes on
 */
export interface SessionEvents extends EventStore {
  readonly rest: (eventId: string) => number | undefined
}

/**
 * An empty store. Beyond its bounds the oldest events go first, and answers last: a client that comes back late misses
 * some of what happened, and still gets its answer, until newer answers have taken its place. One of which nothing is
 * left is told so.
 */
export const make = (
  limits: Pick<HttpLimits, "maxStoredBytes" | "maxStoredEvents" | "maxStoredAnswerBytes">,
): SessionEvents => {
  const events: Array<StoredEvent> = []
  /** Older than all of `events`. */
  const answers: Array<StoredEvent> = []
  /** Streams that have begun and go on, also those of which no event is left. */
  const open = new Set<string>()
  let count = 0
  let size = 0
  let answersSize = 0

  const trim = () => {
    while (events.length > limits.maxStoredEvents || (size > limits.maxStoredBytes && events.length > 0)) {
      const event = events.shift() as StoredEvent
      size -= event.size
      if (!isAnswer(event.message)) continue
      answers.push(event)
      answersSize += event.size
    }
    while (answersSize > limits.maxStoredAnswerBytes || answers.length > limits.maxStoredEvents) {
      answersSize -= answers.shift()?.size ?? 0
    }
    // A client may have streams that never end.
    const [oldest] = open
    if (oldest !== undefined && open.size > limits.maxStoredEvents) open.delete(oldest)
  }
  /** What a stream has said after a place. Goes on while more is stored. */
  function* after({ at, stream }: Place): Generator<StoredEvent> {
    for (const answer of answers.filter((event) => event.at > at && event.stream === stream)) yield answer
    for (let next = at + 1; next <= count; next++) {
      // Nothing but the oldest is ever taken away: places are indexes.
      const first = events[0]?.at ?? next
      if (next < first) next = first
      const event = events[next - first]
      if (event?.stream === stream && "jsonrpc" in event.message) yield event
    }
  }
  const some = (isIt: (event: StoredEvent) => boolean) => answers.some(isIt) || events.some(isIt)
  return {
    storeEvent: async (stream, message) => {
      const at = ++count
      const event = { id: `${at}-${stream}`, stream, at, message, size: sizeOf(message) }
      if (isAnswer(message)) open.delete(stream)
      else open.add(stream)
      events.push(event)
      size += event.size
      trim()
      return event.id
    },
    getStreamIdForEventId: async (eventId) => {
      const stream = placeOf(eventId)?.stream
      if (stream === undefined || open.has(stream)) return stream
      return some((event) => event.stream === stream) ? stream : undefined
    },
    replayEventsAfter: async (eventId, { send }) => {
      const place = placeOf(eventId)
      if (place === undefined) return ""
      for (const { id, message } of after(place)) await send(id, message)
      return place.stream
    },
    rest: (eventId) => {
      const place = placeOf(eventId)
      if (place === undefined) return undefined
      const isOver = some(({ message, stream }) => stream === place.stream && isAnswer(message))
      return isOver ? [...after(place)].length : undefined
    },
  }
}

interface Place {
  readonly stream: string
  readonly at: number
}

const placeOf = (eventId: string): Place | undefined => {
  const [, at, stream] = /^(\d{1,15})-([\w-]{1,64})$/.exec(eventId) ?? []
  return at === undefined || stream === undefined ? undefined : { stream, at: Number(at) }
}

const isAnswer = (message: JSONRPCMessage): boolean => "result" in message || "error" in message

/** About as many bytes as a message has as JSON, which is not made for this. */
const sizeOf = (message: JSONRPCMessage): number => {
  const left: Array<unknown> = [message]
  let size = 0
  while (left.length > 0) {
    const value = left.pop()
    size += 8
    if (typeof value === "string") size += value.length
    else if (Array.isArray(value)) for (const item of value) left.push(item)
    else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        size += key.length
        left.push(item)
      }
    }
  }
  return size
}
