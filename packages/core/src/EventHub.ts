/**
 * The events of one session, for any number of readers.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { McpEvent, McpEventContent } from "./McpEvents.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** How many events a reader may fall behind. */
export const capacity = 16_384

/** How much room an event finds. Readers wait for the end of a turn, so that it always finds some; questions are rare. */
const roomFor = (tag: McpEvent["_tag"]): number => {
  if (tag === "TurnCompleted" || tag === "TurnFailed") return Number.POSITIVE_INFINITY
  return tag === "ApprovalAsked" || tag === "ApprovalDecided" ? 2 * capacity : capacity
}

interface Reader {
  readonly queue: Queue.Queue<McpEvent, Cause.Done>
  dropped: number
}

/**
 * - `publish`: gives an event to every reader, without waiting
 * - `observed`: whether anybody reads, so that nobody builds an event for no one
 * - `isUnderWay`: whether a turn has begun and not ended, by what was published
 * - `stream`: all that is published from the moment the stream runs
 * - `end`: ends every stream, after the end of the turn under way
 */
export interface EventHub {
  readonly publish: (turn: number, event: McpEventContent) => void
  readonly observed: () => boolean
  readonly isUnderWay: () => boolean
  readonly stream: Stream.Stream<McpEvent>
  readonly end: () => void
}

/** A hub for one session. */
export const make = (sessionId: McpSessionId): EventHub => {
  const readers = new Set<Reader>()
  let sequence = 0
  let lastTurn = 0
  let isUnderWay = false
  let isEnding = false
  let ended = false

  /** The queue has no bound of its own, so that word of what is missing always finds room. */
  const offer = (reader: Reader, event: McpEvent) => {
    if (Queue.sizeUnsafe(reader.queue) >= roomFor(event._tag)) {
      reader.dropped++
      return
    }
    tellDropped(reader, event)
    Queue.offerUnsafe(reader.queue, event)
  }
  const tellDropped = (reader: Reader, { sequence, turn }: Pick<McpEvent, "sequence" | "turn">) => {
    if (reader.dropped === 0) return
    Queue.offerUnsafe(reader.queue, { _tag: "Dropped", sessionId, sequence, turn, count: reader.dropped })
    reader.dropped = 0
  }

  const end = () => {
    ended = true
    for (const reader of readers) {
      tellDropped(reader, { sequence, turn: lastTurn })
      Queue.endUnsafe(reader.queue)
    }
  }

  const read = () =>
    Effect.acquireRelease(
      Effect.map(Queue.unbounded<McpEvent, Cause.Done>(), (queue) => {
        const reader: Reader = { queue, dropped: 0 }
        if (ended) Queue.endUnsafe(queue)
        else readers.add(reader)
        return reader
      }),
      (reader) => Effect.sync(() => readers.delete(reader)),
    )

  return {
    publish: (turn, content) => {
      const { _tag } = content
      sequence++
      lastTurn = turn
      if (readers.size > 0) {
        const event = { ...content, sessionId, sequence, turn } as McpEvent
        for (const reader of readers) offer(reader, event)
      }
      if (_tag === "TurnStarted") isUnderWay = true
      else if (_tag === "TurnCompleted" || _tag === "TurnFailed") {
        isUnderWay = false
        if (isEnding) end()
      }
    },
    observed: () => readers.size > 0,
    isUnderWay: () => isUnderWay,
    // Most sessions of a thousand have no reader, so it is only made for one.
    get stream() {
      return Stream.unwrap(Effect.map(read(), (reader) => Stream.fromQueue(reader.queue)))
    },
    end: () => {
      isEnding = true
      if (!isUnderWay) end()
    },
  }
}
