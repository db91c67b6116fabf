import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import type { McpClientAdapter } from "@zain/core/McpClientAdapter"
import type { McpEvent, McpEventContent } from "@zain/core/McpEvents"
import type { McpSessionId } from "@zain/core/McpSessionId"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { start, tagsOf } from "../testing/HeldAgent.ts"

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** Events to emit, then an approval request of `question` characters. */
interface Script {
  readonly events: ReadonlyArray<McpEventContent>
  readonly question?: number
}

const texts = (count: number, characters: number): Script => ({
  events: Array.from({ length: count }, () => ({ _tag: "TextDelta", text: "x".repeat(characters) })),
})

/** A client whose agents play the script of their prompt. */
const client = (script: Readonly<Record<string, Script>>, maxTotalEventBytes?: number) =>
  InMemoryMcpClient.make({
    ...(maxTotalEventBytes === undefined ? {} : { maxTotalEventBytes }),
    reply: Effect.fnUntraced(function* ({ approve, content, emit }) {
      const { events, question } = script[content] ?? { events: [] }
      for (const event of events) emit(event)
      if (question !== undefined) {
        yield* approve({ kind: "tool", tool: "write", message: "m".repeat(question), input: ["x".repeat(question)] })
      }
      return content
    }),
  })

const open = (adapter: McpClientAdapter, maxEventBytes: number) =>
  adapter.openSession({ ...InMemoryMcpClient.config, maxEventBytes })

/** A reader that stops at the start of a first turn until `wake`. */
const sleeper = Effect.fnUntraced(function* (adapter: McpClientAdapter, id: McpSessionId) {
  const awake = yield* Deferred.make<void>()
  const seen: Array<McpEvent> = []
  const read = Stream.runForEach(adapter.events(id), (event) =>
    Effect.andThen(
      Deferred.await(awake),
      Effect.sync(() => seen.push(event)),
    ),
  )
  const reader = yield* start(read)
  yield* adapter.execute(id, { content: "nothing" })
  const wake = Deferred.succeed(awake, undefined)
  return { seen, wake, end: Effect.andThen(wake, Fiber.join(reader)), leave: Fiber.interrupt(reader) }
})

/** The reader of a session whose agent has emitted a flood of events, and which is closed. */
const flooded = Effect.fnUntraced(function* (adapter: McpClientAdapter, maxEventBytes = mebibyte) {
  const id = yield* open(adapter, maxEventBytes)
  const reader = yield* sleeper(adapter, id)
  yield* adapter.execute(id, { content: "flood" })
  yield* adapter.closeSession(id)
  return reader
})

const charactersOf = (events: ReadonlyArray<McpEvent>) =>
  events.reduce((sum, event) => sum + (event._tag === "TextDelta" ? event.text.length : 0), 0)
const dropped = (events: ReadonlyArray<McpEvent>) =>
  events.reduce((sum, event) => sum + (event._tag === "Dropped" ? event.count : 0), 0)

describe("the bytes of unread events (promise 14)", () => {
  test("are bounded for a session by maxEventBytes, and Dropped counts the events beyond it", function* () {
    const reader = yield* flooded(yield* client({ flood: texts(100, 64 * kibibyte) }))
    yield* reader.end
    const deltas = reader.seen.filter(({ _tag }) => _tag === "TextDelta")
    assert.isAtMost(2 * charactersOf(deltas), mebibyte)
    assert.isAbove(2 * charactersOf(deltas), mebibyte / 2)
    assert.strictEqual(dropped(reader.seen), 100 - deltas.length)
    assert.deepStrictEqual(tagsOf(reader.seen.slice(-2)), ["Dropped", "TurnCompleted"])
  })

  test("are bounded for all sessions of a client together by maxTotalEventBytes", function* () {
    const adapter = yield* client({ flood: texts(100, 64 * kibibyte) }, mebibyte)
    const readers = yield* Effect.replicateEffect(flooded(adapter), 4)
    yield* Effect.forEach(readers, ({ end }) => end)
    const all = readers.flatMap(({ seen }) => seen)
    assert.isAtMost(2 * charactersOf(all), mebibyte + 3 * 256 * kibibyte)
    assert.strictEqual(dropped(all) + all.filter(({ _tag }) => _tag === "TextDelta").length, 400)
  })

  test("of slow readers cost a reader that keeps up no event (promise 16)", function* () {
    const adapter = yield* client({ flood: texts(100, 64 * kibibyte), talk: texts(50, kibibyte) }, mebibyte)
    const stuck = yield* open(adapter, mebibyte)
    const sleeping = yield* sleeper(adapter, stuck)
    yield* adapter.execute(stuck, { content: "flood" })
    for (const id of [stuck, yield* open(adapter, mebibyte)]) {
      const seen: Array<McpEvent> = []
      const keen = yield* start(
        Stream.runForEach(adapter.events(id), (event) => Effect.sync(() => void seen.push(event))),
      )
      for (let turn = 1; turn <= 20; turn++) {
        yield* adapter.execute(id, { content: "talk" })
        yield* Effect.repeat(Effect.yieldNow, { until: () => seen.length === turn * 52 })
      }
      yield* adapter.closeSession(id)
      yield* Fiber.join(keen)
      assert.strictEqual(charactersOf(seen), 20 * 50 * kibibyte)
    }
    yield* sleeping.end
    assert.isAtMost(2 * charactersOf(sleeping.seen), mebibyte)
  })

  test("are freed when a reader has read them, and when a reader ends", function* () {
    const adapter = yield* client({ flood: texts(100, 64 * kibibyte), talk: texts(7, 64 * kibibyte) }, mebibyte)
    const id = yield* open(adapter, mebibyte)
    const [leaver, stayer] = [yield* sleeper(adapter, id), yield* sleeper(adapter, id)]
    yield* adapter.execute(id, { content: "flood" })
    yield* stayer.wake
    yield* Effect.repeat(Effect.yieldNow, { until: () => stayer.seen.at(-1)?._tag === "TurnCompleted" })
    yield* leaver.leave
    yield* adapter.execute(id, { content: "talk" })
    yield* adapter.closeSession(id)
    yield* stayer.end
    const last = stayer.seen.filter(({ turn }) => turn === 4)
    assert.deepStrictEqual([dropped(last), charactersOf(last)], [0, 7 * 64 * kibibyte])
  })

  test("count once for any number of readers", function* () {
    const adapter = yield* client({ talk: texts(7, 64 * kibibyte) })
    const id = yield* open(adapter, mebibyte)
    const readers = [yield* sleeper(adapter, id), yield* sleeper(adapter, id), yield* sleeper(adapter, id)]
    yield* adapter.execute(id, { content: "talk" })
    yield* adapter.closeSession(id)
    for (const { end, seen } of readers) {
      yield* end
      assert.deepStrictEqual([dropped(seen), charactersOf(seen)], [0, 7 * 64 * kibibyte])
    }
  })

  test("may exceed maxEventBytes for one event while all readers keep up", function* () {
    const adapter = yield* client({ large: texts(1, 4 * mebibyte) })
    const id = yield* open(adapter, mebibyte)
    const readers = yield* Effect.forEach([1, 2], () => start(Stream.runCollect(adapter.events(id))))
    yield* adapter.execute(id, { content: "large" })
    yield* adapter.closeSession(id)
    for (const reader of readers) assert.strictEqual(charactersOf(yield* Fiber.join(reader)), 4 * mebibyte)
  })

  test("include the values nested in a Raw event, to 100,000 levels", function* () {
    const params: unknown = JSON.parse(`${'{"a":['.repeat(50_000)}1${"]}".repeat(50_000)}`)
    const events = Array.from({ length: 10 }, (): McpEventContent => ({ _tag: "Raw", method: "m", params }))
    const reader = yield* flooded(yield* client({ flood: { events } }), 10 * mebibyte)
    yield* reader.end
    assert.isAbove(dropped(reader.seen), 0)
    assert.include(tagsOf(reader.seen), "Raw")
  })

  test("never drop ApprovalAsked and ApprovalDecided: a request beyond the limit is cut to the beginning of its message", function* () {
    const reader = yield* flooded(yield* client({ flood: { ...texts(100, 64 * kibibyte), question: mebibyte } }))
    yield* reader.end
    const [drop, asked, ...rest] = reader.seen.slice(-4)
    assert.deepStrictEqual([drop?._tag, ...tagsOf(rest)], ["Dropped", "ApprovalDecided", "TurnCompleted"])
    assert(asked?._tag === "ApprovalAsked")
    const { message, ...request } = asked.request
    assert.deepStrictEqual(request, { kind: "tool", tool: "write" })
    assert.match(message, /^m{253}…$/)
  })
})
