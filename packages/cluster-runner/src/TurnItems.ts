/**
 * The items of one turn on their way to the caller: in order, bounded in bytes, and counted where an event is dropped.
 */
import type { Item } from "@zain/cluster-client/SessionEntity"
import * as EventSize from "@zain/core/EventSize"
import type { McpEventContent } from "@zain/core/McpEvents"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** How many items, and how many bytes of events, cross in one chunk at most; one larger event crosses alone. */
const [maxChunk, maxChunkBytes] = [256, 1024 * 1024]

/** How many events may wait, and the largest that fits into a frame of the engine, in bytes. */
const [maxEvents, maxEventSize] = [16_384, 15 * 1024 * 1024]

interface Waiting {
  readonly item: Item
  readonly bytes: number
}

/**
 * - `emit`: adds an event, or counts it as dropped where the bounds are reached
 * - `add`: adds any other item, which is never dropped
 * - `end`: ends `stream` after the items so far
 * - `stream`: the items, for one reader
 */
export interface TurnItems {
  readonly emit: (event: McpEventContent) => void
  readonly add: (item: Item) => void
  readonly end: () => void
  readonly stream: Stream.Stream<Item>
}

/**
 * Makes an empty buffer.
 *
 * @param maxEventBytes how many bytes of events may wait
 * @param received runs once, when the caller has received the `Answer`
 */
export const make = (maxEventBytes: number, received: () => void): TurnItems => {
  let waiting: Array<Waiting> = []
  let [bytes, events, dropped] = [0, 0, 0]
  let isEnded = false
  let hasAnswer = false
  let wake: (() => void) | undefined
  const push = (item: Item, size: number) => {
    waiting.push({ item, bytes: size })
    bytes += size
    if (item._tag === "Event") events++
    wake?.()
  }
  const flushDropped = () => {
    if (dropped === 0) return
    const count = dropped
    dropped = 0
    push({ _tag: "Event", event: { _tag: "Dropped", count } }, 0)
  }
  const next = () => {
    let [count, size] = [0, 0]
    while (count < maxChunk && count < waiting.length) {
      size += waiting[count]?.bytes ?? 0
      if (count > 0 && size > maxChunkBytes) break
      count++
    }
    const chunk = waiting.slice(0, count)
    waiting = waiting.slice(count)
    for (const one of chunk) {
      bytes -= one.bytes
      if (one.item._tag === "Event") events--
    }
    return chunk.map(({ item }) => item)
  }
  /** The reader takes the next chunk when the caller has acknowledged the one before. */
  const take: Effect.Effect<Arr.NonEmptyArray<Item>, Cause.Done> = Effect.suspend(() => {
    if (hasAnswer) {
      hasAnswer = false
      received()
    }
    const chunk = next()
    hasAnswer = chunk.some(({ _tag }) => _tag === "Answer")
    if (Arr.isArrayNonEmpty(chunk)) return Effect.succeed(chunk)
    if (isEnded) return Cause.done()
    return Effect.callback((resume) => {
      wake = () => {
        wake = undefined
        resume(take)
      }
    })
  })
  return {
    emit: (event) => {
      if (isEnded) return
      const size = EventSize.of(event, maxEventSize)
      const fits = size <= maxEventSize && (bytes === 0 || bytes + size <= maxEventBytes)
      if (events >= maxEvents || !fits) {
        dropped++
        return
      }
      flushDropped()
      push({ _tag: "Event", event }, size)
    },
    add: (item) => {
      flushDropped()
      push(item, 0)
    },
    end: () => {
      flushDropped()
      isEnded = true
      wake?.()
    },
    stream: Stream.fromPull(Effect.succeed(take)),
  }
}
