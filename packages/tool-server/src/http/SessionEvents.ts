/**
 * Stores the last events of a session's streams, for a client that reconnects.
 *
 * @see Model Context Protocol 2025-11-25, transports, resumability and redelivery
 */
import type { EventStore } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as JsonSize from "../JsonSize.ts"
import type { HttpLimits } from "./HttpLimits.ts"

interface StoredEvent {
  readonly id: string
  readonly stream: string
  readonly at: number
  readonly message: JSONRPCMessage
  readonly size: number
}

/** The SDK's event store with a bound. */
export interface SessionEvents extends EventStore {
  /** Returns how many events of an ended stream follow an event; `undefined` while the stream is open. */
  readonly rest: (eventId: string) => number | undefined
}

type Limits = Pick<HttpLimits, "maxStoredBytes" | "maxStoredEvents" | "maxStoredAnswerBytes" | "maxStoredTotalBytes">

interface Store extends SessionEvents {
  /** How many bytes are stored. */
  readonly kept: () => number
  /** Drops the oldest event, answers last. Returns how many bytes were freed. */
  readonly drop: () => number
}

/**
 * Returns an effect that makes an empty store for a session, which is released with the Scope. When all stores together
 * exceed `maxStoredTotalBytes`, the largest drops its oldest events.
 */
export const make = (limits: Limits): Effect.Effect<SessionEvents, never, Scope.Scope> => {
  const stores = new Set<Store>()
  let total = 0
  return Effect.acquireRelease(
    Effect.sync(() => {
      const store = empty(limits, (bytes) => {
        // Events after the end of a session are not counted.
        if (!stores.has(store)) return
        total += bytes
        while (total > limits.maxStoredTotalBytes) total -= [...stores].reduce(larger).drop()
      })
      stores.add(store)
      return store
    }),
    (store) =>
      Effect.sync(() => {
        stores.delete(store)
        total -= store.kept()
      }),
  )
}

const larger = (one: Store, other: Store): Store => (one.kept() >= other.kept() ? one : other)

/**
 * Makes an empty store. Beyond its bounds, the oldest events are dropped first and answers last: a client that reconnects
 * late misses some events but receives its answer, unless newer answers have replaced it. A stream of which nothing is stored
 * is reported as unknown.
 */
const empty = (limits: Limits, grown: (bytes: number) => void): Store => {
  const events: Array<StoredEvent> = []
  /** Answers, older than all of `events`. */
  const answers: Array<StoredEvent> = []
  /** The open streams, also those without a stored event. */
  const open = new Set<string>()
  let count = 0
  let size = 0
  let answersSize = 0

  const kept = () => size + answersSize
  const dropEvent = () => {
    const event = events.shift() as StoredEvent
    size -= event.size
    if (!isAnswer(event.message)) return
    answers.push(event)
    answersSize += event.size
  }
  const dropAnswer = () => {
    answersSize -= answers.shift()?.size ?? 0
  }
  const trim = () => {
    while (events.length > limits.maxStoredEvents || (size > limits.maxStoredBytes && events.length > 0)) dropEvent()
    while (answersSize > limits.maxStoredAnswerBytes || answers.length > limits.maxStoredEvents) dropAnswer()
    // A client may have streams that never end.
    const [oldest] = open
    if (oldest !== undefined && open.size > limits.maxStoredEvents) open.delete(oldest)
  }
  /** The events of a stream after a place, including those stored during the iteration. */
  function* after({ at, stream }: Place): Generator<StoredEvent> {
    for (const answer of answers.filter((event) => event.at > at && event.stream === stream)) yield answer
    for (let next = at + 1; next <= count; next++) {
      // Only the oldest events are dropped, so places are indexes.
      const first = events[0]?.at ?? next
      if (next < first) next = first
      const event = events[next - first]
      if (event?.stream === stream && "jsonrpc" in event.message) yield event
    }
  }
  const some = (isIt: (event: StoredEvent) => boolean) => answers.some(isIt) || events.some(isIt)
  return {
    kept,
    drop: () => {
      const before = kept()
      if (events.length > 0) dropEvent()
      else dropAnswer()
      return before - kept()
    },
    storeEvent: async (stream, message) => {
      const before = kept()
      const at = ++count
      const event = { id: `${at}-${stream}`, stream, at, message, size: JsonSize.of(message) }
      if (isAnswer(message)) open.delete(stream)
      else open.add(stream)
      events.push(event)
      size += event.size
      trim()
      grown(kept() - before)
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
