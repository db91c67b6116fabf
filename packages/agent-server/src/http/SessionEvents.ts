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
  readonly bytes: number
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
 * An empty store. Beyond its bounds the oldest events go first: a client that comes back late misses some of what
 * happened, and still gets its answer.
 */
export const make = (limits: Pick<HttpLimits, "maxStoredBytes" | "maxStoredEvents">): SessionEvents => {
  const events: Array<StoredEvent> = []
  let count = 0
  let bytes = 0

  const trim = () => {
    while (events.length > limits.maxStoredEvents || (bytes > limits.maxStoredBytes && events.length > 0)) {
      bytes -= events.shift()?.bytes ?? 0
    }
  }
  /** What a stream has said after a place. Goes on while more is stored. */
  function* after({ at, stream }: Place): Generator<StoredEvent> {
    for (let next = at + 1; next <= count; next++) {
      // Nothing but the oldest is ever taken away: places are indexes.
      const first = events[0]?.at ?? next
      if (next < first) next = first
      const event = events[next - first]
      if (event?.stream === stream && "jsonrpc" in event.message) yield event
    }
  }
  return {
    storeEvent: async (stream, message) => {
      const at = ++count
      const event = { id: `${at}-${stream}`, stream, at, message, bytes: Buffer.byteLength(JSON.stringify(message)) }
      events.push(event)
      bytes += event.bytes
      trim()
      return event.id
    },
    getStreamIdForEventId: async (eventId) => {
      const stream = placeOf(eventId)?.stream
      return events.some((event) => event.stream === stream) ? stream : undefined
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
      const isOver = events.some(({ message, stream }) => stream === place.stream && isAnswer(message))
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
