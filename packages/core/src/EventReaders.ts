/**
 * The readers of the events of one session.
 *
 * @see docs/internals/promises.md, 14
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as EventSize from "./EventSize.ts"
import * as KeepAlive from "./KeepAlive.ts"
import type { McpEvent, McpEventContent } from "./McpEvents.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** How many events a reader may fall behind before it misses any. */
export const capacity = 16_384

/** How many events a reader takes at once. */
const batch = 256

/**
 * After how many yields without progress of any reader `caughtUp` stops waiting. A reader that only reads needs a few.
 */
const patience = 16

/** What a reader may leave unread even if the budgets are used up, in bytes. */
export const share = 256 * 1024

/** How many bytes of events may wait, and how many do: one budget per session, and one for all sessions of a client. */
export interface Budget {
  readonly limit: number
  used: number
}

/** Makes an unused budget. */
export const budget = (limit: number): Budget => ({ limit, used: 0 })

/**
 * How far behind a reader still receives an event of a kind. Readers wait for the end of a turn, so it is never
 * dropped; approvals are rare and important.
 */
const roomFor = (tag: McpEvent["_tag"]): number => {
  if (tag === "TurnCompleted" || tag === "TurnFailed") return Number.POSITIVE_INFINITY
  return tag === "ApprovalAsked" || tag === "ApprovalDecided" ? 2 * capacity : capacity
}

/** An event, shared by all readers that have not read it: `holders` of them. */
interface Entry {
  readonly event: McpEvent
  readonly bytes: number
  holders: number
}

/**
 * `isMine`: the turns that the reader is of; all if omitted. `inHand`: the batch that the reader processes. `read`: how many
 * events it has finished. `wake`: set while it waits. `isOver`: whether its last event has been published.
 */
interface Reader {
  readonly isMine: ((turn: number) => boolean) | undefined
  isOver: boolean
  waiting: Array<Entry>
  read: number
  inHand: ReadonlyArray<Entry>
  bytes: number
  dropped: number
  wake: (() => void) | undefined
}

/**
 * - `publish`: gives the event of a turn, and with its number, to every reader, without waiting
 * - `isEmpty`: whether there is no reader
 * - `caughtUp`, `stream`, `ofTurns`: as in `EventHub`
 * - `end`: ends every stream, also of later readers
 */
export interface EventReaders {
  readonly publish: (turn: number, sequence: number, event: McpEventContent, origin: number | undefined) => void
  readonly isEmpty: () => boolean
  readonly caughtUp: Effect.Effect<void>
  readonly stream: Stream.Stream<McpEvent>
  readonly ofTurns: (isMine: (turn: number) => boolean) => Effect.Effect<TurnReader, never, Scope.Scope>
  readonly end: () => void
}

/** The events of a turn. `over` ends `stream` after those that are published by now. */
export interface TurnReader {
  readonly stream: Stream.Stream<McpEvent>
  readonly over: () => void
}

/**
 * Starts without a reader.
 *
 * @param own the budget of this session
 * @param all the budget of all sessions of its client
 */
export const make = (sessionId: McpSessionId, own: Budget, all: Budget): EventReaders => {
  const readers = new Set<Reader>()
  let sequence = 0
  let lastTurn = 0
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

  /** An event that exceeds the budget of its session still goes to readers that keep up. */
  const hasRoom = (bytes: number) =>
    (own.used <= share || own.used + bytes <= own.limit) && all.used + bytes <= all.limit

  const tellDropped = (reader: Reader) => {
    if (reader.dropped === 0) return
    const event: McpEvent = { _tag: "Dropped", sessionId, sequence, turn: lastTurn, count: reader.dropped }
    hold(reader, { event, bytes: 0, holders: 0 })
    reader.dropped = 0
  }

  const entryOf = (content: McpEventContent, origin: number | undefined): Entry => {
    const event = { ...content, sessionId, sequence, turn: lastTurn } as McpEvent
    return {
      event: origin === undefined ? event : { ...event, origin },
      bytes: EventSize.of(content, all.limit),
      holders: 0,
    }
  }

  const publish: EventReaders["publish"] = (turn, number, content, origin) => {
    lastTurn = turn
    sequence = number
    const entry = entryOf(content, origin)
    const room = roomFor(content._tag)
    const isAffordable = hasRoom(entry.bytes)
    for (const reader of readers) {
      if (reader.isMine !== undefined && (origin !== undefined || !reader.isMine(lastTurn))) continue
      const fits = isAffordable || reader.bytes + entry.bytes <= share
      if (reader.waiting.length >= room || (!fits && room === capacity)) {
        reader.dropped++
        continue
      }
      tellDropped(reader)
      hold(reader, fits ? entry : entryOf(EventSize.brief(content), origin))
      reader.wake?.()
    }
  }

  const end = () => {
    ended = true
    for (const reader of readers) {
      tellDropped(reader)
      reader.wake?.()
    }
  }

  const read = (isMine?: Reader["isMine"]) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const counts = { read: 0, bytes: 0, dropped: 0 }
        const reader: Reader = { isMine, isOver: false, waiting: [], inHand: [], wake: undefined, ...counts }
        if (!ended) readers.add(reader)
        KeepAlive.hold()
        return reader
      }),
      (reader) =>
        Effect.sync(() => {
          KeepAlive.release()
          readers.delete(reader)
          letGo(reader, reader.inHand)
          letGo(reader, reader.waiting)
        }),
    )

  /** The next batch. A reader that takes one has finished the batch before. */
  const take = (reader: Reader): Effect.Effect<Arr.NonEmptyArray<McpEvent>, Cause.Done> =>
    Effect.withFiber((fiber) => {
      letGo(reader, reader.inHand)
      reader.read += reader.inHand.length
      reader.inHand = reader.waiting.splice(0, batch)
      const events = reader.inHand.map(({ event }) => event)
      if (Arr.isArrayNonEmpty(events)) return Effect.succeed(events)
      if (ended || reader.isOver) return Cause.done()
      return Effect.callback((resume) => {
        const go = () => resume(take(reader))
        // The fiber may have yielded after the test above; an event published then did not wake it.
        if (reader.waiting.length > 0 || ended || reader.isOver) return go()
        reader.wake = () => {
          reader.wake = undefined
          // As after a yield: events that are published together arrive as one batch.
          fiber.currentDispatcher.scheduleTask(go, 0)
        }
      })
    })

  const streamOf = (reader: Reader) => Stream.fromPull(Effect.succeed(take(reader)))

  const caughtUp = Effect.fnUntraced(function* () {
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
    publish,
    isEmpty: () => readers.size === 0,
    caughtUp: Effect.suspend(caughtUp),
    stream: Stream.unwrap(Effect.map(read(), streamOf)),
    ofTurns: (isMine) =>
      Effect.map(read(isMine), (reader) => ({
        stream: streamOf(reader),
        over: () => {
          reader.isOver = true
          reader.wake?.()
        },
      })),
    end,
  }
}
