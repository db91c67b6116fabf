/**
 * The events of one session, for any number of readers.
 *
 * @see promise 14
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as EventSize from "./EventSize.ts"
import type { McpEvent, McpEventContent } from "./McpEvents.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** How many events a reader may fall behind. */
export const capacity = 16_384

/** How many events a reader takes at once. */
const batch = 256

/**
 * How often in a row other work may run without a reader being done with a batch, before it counts as slow. One that
 * only reads needs a few.
 */
const patience = 16

/** What every reader may leave unread, whatever all others do, in bytes. */
export const share = 256 * 1024

/** How many bytes of events may wait, and how many do. One for a session, and one for all sessions of a client. */
export interface Budget {
  readonly limit: number
  used: number
}

/** A budget of which nothing is used. */
export const budget = (limit: number): Budget => ({ limit, used: 0 })

/** Which events find room although there is none. Readers wait for the end of a turn; questions are rare. */
const roomFor = (tag: McpEvent["_tag"]): number => {
  if (tag === "TurnCompleted" || tag === "TurnFailed") return Number.POSITIVE_INFINITY
  return tag === "ApprovalAsked" || tag === "ApprovalDecided" ? 2 * capacity : capacity
}

/** An event and the readers that have not read it: it is there once for all of them. */
interface Entry {
  readonly event: McpEvent
  readonly bytes: number
  holders: number
}

/**
 * `inHand`: what the reader has taken and is at work on. `read`: how many it is done with. `wake`: it waits for more.
 */
interface Reader {
  waiting: Array<Entry>
  read: number
  inHand: ReadonlyArray<Entry>
  bytes: number
  dropped: number
  wake: (() => void) | undefined
}

/**
 * - `publish`: gives an event to every reader, without waiting
 * - `observed`: whether anybody reads, so that nobody builds an event for no one
 * - `isUnderWay`: whether a turn has begun and not ended, by what was published
 * - `caughtUp`: waits until every reader has received what was published by now; not for one that does other things
 *   meanwhile
 * - `stream`: all that is published from the moment the stream runs
 * - `end`: ends every stream, after the end of the turn under way
 */
export interface EventHub {
  readonly publish: (turn: number, event: McpEventContent) => void
  readonly observed: () => boolean
  readonly isUnderWay: () => boolean
  readonly caughtUp: Effect.Effect<void>
  readonly stream: Stream.Stream<McpEvent>
  readonly end: () => void
}

/**
 * A hub for one session.
 *
 * @param own what may wait in this session
 * @param all what may wait in all sessions of its client
 */
export const make = (sessionId: McpSessionId, own: Budget, all: Budget): EventHub => {
  const readers = new Set<Reader>()
  let sequence = 0
  let lastTurn = 0
  let isUnderWay = false
  let isEnding = false
  let ended = false

  const hold = (reader: Reader, entry: Entry) => {
    if (entry.holders++ === 0) {
      own.used += entry.bytes
      all.used += entry.bytes
    }
    reader.bytes += entry.bytes
    reader.waiting.push(entry)
  }
  const letGo = (reader: Reader, entries: ReadonlyArray<Entry>) => {
    for (const entry of entries) {
      reader.bytes -= entry.bytes
      if (--entry.holders > 0) continue
      own.used -= entry.bytes
      all.used -= entry.bytes
    }
  }

  /** What is too large for the budget of a session goes to readers that keep up all the same. */
  const hasRoom = (bytes: number) =>
    (own.used <= share || own.used + bytes <= own.limit) && all.used + bytes <= all.limit

  const tellDropped = (reader: Reader, { sequence, turn }: Pick<McpEvent, "sequence" | "turn">) => {
    if (reader.dropped === 0) return
    const event: McpEvent = { _tag: "Dropped", sessionId, sequence, turn, count: reader.dropped }
    hold(reader, { event, bytes: 0, holders: 0 })
    reader.dropped = 0
  }

  const tell = (place: Pick<McpEvent, "sessionId" | "sequence" | "turn">, content: McpEventContent) => {
    const entryOf = (content: McpEventContent): Entry => ({
      event: { ...content, ...place } as McpEvent,
      bytes: EventSize.of(content, all.limit),
      holders: 0,
    })
    const entry = entryOf(content)
    const room = roomFor(content._tag)
    const isAffordable = hasRoom(entry.bytes)
    for (const reader of readers) {
      const fits = isAffordable || reader.bytes + entry.bytes <= share
      if (reader.waiting.length >= room || (!fits && room === capacity)) {
        reader.dropped++
        continue
      }
      tellDropped(reader, place)
      hold(reader, fits ? entry : entryOf(EventSize.brief(content)))
      reader.wake?.()
    }
  }

  const end = () => {
    ended = true
    for (const reader of readers) {
      tellDropped(reader, { sequence, turn: lastTurn })
      reader.wake?.()
    }
  }

  const read = Effect.acquireRelease(
    Effect.sync(() => {
      const reader: Reader = { waiting: [], inHand: [], read: 0, bytes: 0, dropped: 0, wake: undefined }
      if (!ended) readers.add(reader)
      return reader
    }),
    (reader) =>
      Effect.sync(() => {
        readers.delete(reader)
        letGo(reader, reader.inHand)
        letGo(reader, reader.waiting)
      }),
  )

  /** All that waits. A reader that asks for more is done with what it was given before. */
  const take = (reader: Reader): Effect.Effect<Arr.NonEmptyArray<McpEvent>, Cause.Done> =>
    Effect.suspend(() => {
      letGo(reader, reader.inHand)
      reader.read += reader.inHand.length
      reader.inHand = reader.waiting.splice(0, batch)
      const events = reader.inHand.map(({ event }) => event)
      if (Arr.isArrayNonEmpty(events)) return Effect.succeed(events)
      if (ended) return Cause.done()
      return Effect.andThen(
        Effect.callback<void>((resume) => {
          // The fiber may have yielded since the test above, and nothing woke it then.
          if (reader.waiting.length > 0 || ended) return resume(Effect.void)
          reader.wake = () => {
            reader.wake = undefined
            // What is delivered at once is read at once.
            resume(Effect.yieldNow)
          }
        }),
        take(reader),
      )
    })

  const caughtUp = Effect.gen(function* () {
    const due = new Map(
      [...readers].map((reader) => [reader, reader.read + reader.inHand.length + reader.waiting.length]),
    )
    let before = -1
    for (let rounds = 0; rounds < patience; rounds++) {
      let done = 0
      for (const [reader, count] of due) {
        if (reader.read >= count || !readers.has(reader)) due.delete(reader)
        done += reader.read
      }
      if (due.size === 0) return
      if (done !== before) rounds = 0
      before = done
      yield* Effect.yieldNow
    }
  })

  return {
    caughtUp,
    publish: (turn, content) => {
      const { _tag } = content
      sequence++
      lastTurn = turn
      if (readers.size > 0) tell({ sessionId, sequence, turn }, content)
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
      return Stream.unwrap(Effect.map(read, (reader) => Stream.fromPull(Effect.succeed(take(reader)))))
    },
    end: () => {
      isEnding = true
      if (!isUnderWay) end()
    },
  }
}
