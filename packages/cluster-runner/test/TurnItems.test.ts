import type { Item } from "@zain/cluster-client/SessionEntity"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { expect, it } from "vitest"
import * as TurnItems from "../src/TurnItems.ts"

const answer: Item = { _tag: "Answer", answer: { content: "done", isError: false } }
const ask: Item = { _tag: "Ask", id: "one", request: { kind: "tool", message: "?" } }
const text = (text: string) => ({ _tag: "TextDelta", text }) as const
const mebibyte = 1024 * 1024

it("items cross in their order, and events beyond the bounds are counted; questions and answers are never dropped", () => {
  const items = TurnItems.make(mebibyte, () => {})
  for (let sent = 0; sent < 20_000; sent++) items.emit(text(String(sent)))
  items.add(ask)
  items.add(answer)
  items.end()
  const all = Effect.runSync(Stream.runCollect(items.stream))
  const texts = all.flatMap((item) =>
    item._tag === "Event" && item.event._tag === "TextDelta" ? [item.event.text] : [],
  )
  const dropped = all.flatMap((item) =>
    item._tag === "Event" && item.event._tag === "Dropped" ? [item.event.count] : [],
  )
  expect(texts).toEqual(texts.map((_, at) => String(at)))
  expect([texts.length > 1000, texts.length + (dropped[0] ?? 0), dropped.length]).toEqual([true, 20_000, 1])
  expect(all.slice(-2)).toEqual([ask, answer])
})

it("an event that no frame holds is counted as dropped, and one beyond the budget crosses to a caller that keeps up", () => {
  const items = TurnItems.make(10, () => {})
  items.emit(text("x".repeat(16 * mebibyte)))
  items.emit(text("beyond"))
  items.end()
  const all = Effect.runSync(Stream.runCollect(items.stream))
  expect(all.map((item) => item._tag === "Event" && item.event)).toEqual([
    { _tag: "Dropped", count: 1 },
    text("beyond"),
  ])
})

it("a chunk holds at most 1 MiB of events, and a larger event crosses alone", () => {
  const items = TurnItems.make(64 * mebibyte, () => {})
  for (const length of [10, 10, 3 * mebibyte, 10, 400_000, 400_000]) items.emit(text("x".repeat(length)))
  items.end()
  const sizes: Array<number> = []
  Effect.runSync(Stream.runForEachArray(items.stream, (chunk) => Effect.sync(() => void sizes.push(chunk.length))))
  expect(sizes).toEqual([2, 1, 2, 1])
})

it("the answer counts as received when the chunk after its own is pulled, and only then", () => {
  let received = 0
  const items = TurnItems.make(mebibyte, () => received++)
  items.emit(text("before"))
  items.add(answer)
  items.end()
  const seen: Array<number> = []
  Effect.runSync(Stream.runForEachArray(items.stream, () => Effect.sync(() => void seen.push(received))))
  expect([seen, received]).toEqual([[0], 1])
})
