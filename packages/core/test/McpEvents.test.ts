import { assert, describe } from "@effect/vitest"
import { InMemoryMcpClient } from "@zain/core"
import type { McpEvent } from "@zain/core/McpEvents"
import { soon } from "@zain/testkit/Running"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as HeldAgent from "../testing/HeldAgent.ts"

const { inWords, start, tagsOf } = HeldAgent

/** A session whose function emits each letter of the prompt as an event, and a reader that collects them. */
const letters = Effect.gen(function* () {
  const client = yield* InMemoryMcpClient.make({
    reply: ({ content, emit }) =>
      Effect.sync(() => {
        for (const text of content) emit({ _tag: "TextDelta", text })
        return content
      }),
  })
  const id = yield* client.openSession(InMemoryMcpClient.config)
  const read = start(Stream.runCollect(client.events(id)))
  return { client, id, read, ask: (content: string) => client.execute(id, { content }), close: client.closeSession(id) }
})

const place = ({ _tag, sequence, turn }: McpEvent) => `${sequence} ${turn} ${_tag}`

describe("the events of a session (docs/concepts/events.md)", () => {
  test("are numbered without a reader too, so that a late reader sees what it missed", function* () {
    const { ask, close, read } = yield* letters
    yield* ask("ab")
    const reader = yield* read
    yield* ask("c")
    yield* close
    assert.deepStrictEqual((yield* Fiber.join(reader)).map(place), [
      "5 2 TurnStarted",
      "6 2 TextDelta",
      "7 2 TurnCompleted",
    ])
  })

  test("are built only while there is a reader", function* () {
    const { adapter, begin, id } = yield* HeldAgent.session()
    const seen: Array<boolean> = []
    const turn = Effect.fnUntraced(function* (prompt: string) {
      const { answer, fiber, turn } = yield* begin(prompt)
      seen.push(turn.observed())
      answer("")
      yield* Fiber.join(fiber)
    })
    yield* turn("unread")
    const reader = yield* start(Stream.runDrain(adapter.events(id)))
    yield* turn("read")
    yield* Fiber.interrupt(reader)
    yield* turn("unread again")
    assert.deepStrictEqual(seen, [false, true, false])
  })

  test("fail with SessionClosed if the reader starts after the close, also from an earlier stream (rule 1)", function* () {
    const { client, close, id } = yield* letters
    const before = client.events(id)
    yield* close
    assert.strictEqual(inWords(yield* Effect.flip(Stream.runDrain(before))), "SessionClosed closed not-sent")
  })
})

describe("the event at the end of a turn (docs/concepts/events.md)", () => {
  type Agent = Effect.Success<ReturnType<typeof HeldAgent.session>>
  type Asked = Effect.Success<ReturnType<Agent["begin"]>>

  test.each<readonly [string, string, (asked: Asked) => Effect.Effect<unknown, unknown>]>([
    ["deadline-exceeded", "a deadline", () => TestClock.adjust("10 seconds")],
    ["stalled", "the idle limit", () => TestClock.adjust("5 seconds")],
    ["defect", "a defect", ({ end }) => Effect.sync(() => end(Exit.die("a bug")))],
  ])("is TurnFailed with reason %s for %s", function* ([reason, , how]) {
    const agent = yield* HeldAgent.session({}, { idleTimeout: reason === "stalled" ? "5 seconds" : "1 minute" })
    const reader = yield* agent.read
    const asked = yield* agent.begin("a", "10 seconds")
    yield* how(asked)
    yield* Fiber.await(asked.fiber)
    yield* agent.close
    assert.deepInclude((yield* Fiber.join(reader)).at(-1), { _tag: "TurnFailed", reason })
  })

  test("is TurnCompleted with the `isError` of the response", function* () {
    const client = yield* InMemoryMcpClient.make({ reply: () => Effect.succeed({ content: "no", isError: true }) })
    const id = yield* client.openSession(InMemoryMcpClient.config)
    const reader = yield* start(Stream.runCollect(client.events(id)))
    assert.isTrue((yield* client.execute(id, { content: "a" })).isError)
    yield* client.closeSession(id)
    assert.deepInclude((yield* Fiber.join(reader)).at(-1), { _tag: "TurnCompleted", isError: true })
  })
})

describe("a slow reader (docs/concepts/events.md#slow-readers)", () => {
  const capacity = 16_384

  /** A reader that stops at its first event until `wake`. */
  const sleeper = Effect.gen(function* () {
    const { ask, client, close, id } = yield* letters
    const awake = yield* Deferred.make<void>()
    const first = yield* Deferred.make<void>()
    const seen: Array<McpEvent> = []
    const read = Stream.runForEach(client.events(id), (event) =>
      Deferred.succeed(first, undefined).pipe(
        Effect.andThen(Deferred.await(awake)),
        Effect.andThen(Effect.sync(() => seen.push(event))),
      ),
    )
    const reader = yield* start(read)
    yield* ask("a")
    yield* Deferred.await(first)
    return { ask, close, seen, wake: Deferred.succeed(awake, undefined), end: Fiber.join(reader) }
  })

  test("misses nothing while its events fit into the buffer", function* () {
    const { ask, close, end, seen, wake } = yield* sleeper
    yield* ask("x".repeat(capacity - 2))
    yield* wake
    yield* close
    yield* end
    assert.deepStrictEqual(
      seen.map(({ sequence }) => sequence),
      Array.from({ length: capacity + 3 }, (_, index) => index + 1),
    )
  })

  test("receives the end of a turn however far behind, while the session is open", function* () {
    const { client, id } = yield* letters
    const isEnd = ({ _tag }: McpEvent) => _tag === "TurnCompleted" || _tag === "TurnFailed"
    const awake = yield* Deferred.make<void>()
    const events = Stream.tap(client.events(id), () => Deferred.await(awake))
    const reader = yield* start(Stream.runCollect(Stream.takeUntil(events, isEnd)))
    yield* client.execute(id, { content: "x".repeat(30_000) })
    yield* Deferred.succeed(awake, undefined)
    assert.strictEqual((yield* soon(Fiber.join(reader))).at(-1)?._tag, "TurnCompleted")
  })

  test("receives every ApprovalAsked and ApprovalDecided", function* () {
    const { adapter, begin, close, id } = yield* HeldAgent.session()
    const awake = yield* Deferred.make<void>()
    const seen: Array<McpEvent> = []
    const reader = yield* start(
      Stream.runForEach(adapter.events(id), (event) =>
        Effect.andThen(
          Deferred.await(awake),
          Effect.sync(() => seen.push(event)),
        ),
      ),
    )
    const { answer, fiber, turn } = yield* begin("a")
    for (let count = 0; count < capacity + 100; count++) turn.emit({ _tag: "TextDelta", text: "x" })
    yield* turn.approve({ kind: "command", message: "?", command: "ls" })
    answer("")
    yield* Fiber.join(fiber)
    yield* Deferred.succeed(awake, undefined)
    yield* close
    yield* Fiber.join(reader)
    assert.deepStrictEqual(tagsOf(seen.slice(-4)), ["Dropped", "ApprovalAsked", "ApprovalDecided", "TurnCompleted"])
  })

  test("receives Dropped with the number of missed events in their place, and continues after them", function* () {
    const { ask, close, end, seen, wake } = yield* sleeper
    yield* ask("x".repeat(capacity - 2 + 100))
    yield* wake
    yield* Effect.repeat(Effect.yieldNow, { until: () => seen.length === 3 + capacity + 2 })
    yield* ask("b")
    yield* close
    yield* end
    const after = seen.slice(3 + capacity)
    const tags = ["Dropped", "TurnCompleted", "TurnStarted", "TextDelta", "TurnCompleted"]
    assert.deepStrictEqual(tagsOf(after), tags)
    const last = { turn: 2, sequence: 3 + capacity + 100 }
    assert.deepInclude(after[0], { count: 99, ...last })
    assert.deepInclude(after[1], last)
    assert.strictEqual(seen[2 + capacity]?.sequence, 3 + capacity)
    assert.strictEqual(after[2]?.sequence, last.sequence + 1)
  })
})
