/** The profile of agent servers: calls, answers, events, and the servers that it rejects. */
import { assert, describe } from "@effect/vitest"
import type { McpEvent } from "@zain/core/McpEvents"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inWords } from "../testing/AgentWire.ts"
import { answered, connect, session } from "./AgentServerPeer.ts"

describe("a conversation with the agent server (docs/concepts/sessions.md#profiles)", () => {
  test("continues the thread of an earlier session, and fails instead of starting a new one when it is lost", function* () {
    const { opening, start, turn } = yield* session({}, { model: "large", threadId: "thread-old" })
    assert.deepInclude(opening, { name: "test-reply", arguments: { model: "large", threadId: "thread-old" } })
    const resumed = { name: "test-reply", arguments: { model: "large", threadId: "thread-old", prompt: "on" } }
    const gone = { content: [{ type: "text", text: "There is no thread." }], isError: true }
    const { answer, call } = yield* turn("on", gone)
    assert.deepInclude(call, resumed)
    assert.isTrue(answer.isError)
    const { call: cancelled, fiber } = yield* start("on")
    assert.deepInclude(cancelled, resumed)
    yield* Fiber.interrupt(fiber)
    assert.deepInclude((yield* turn("on", answered("well", "thread-old"))).call, resumed)
  })

  test("fails to open with a thread whose options cannot change", function* () {
    const { call, open, refuse, said } = yield* connect()
    const opening = yield* Effect.forkChild(Effect.flip(open({ threadId: "gone" })), { startImmediately: true })
    refuse(yield* call, "`model` cannot change.", { "zain/option": "model" })
    const error = yield* Fiber.join(opening)
    assert.strictEqual(inWords(error), "InvalidRequest invalid-config not-sent")
    assert.include(error.message, "rejected an option given with `threadId`")
    assert.isFalse(said.some((message) => JSON.stringify(message).includes('"prompt"')))
  })

  test("fails to open with the server's message when the server cannot open the thread", function* () {
    const { call, open } = yield* connect()
    const opening = yield* Effect.forkChild(Effect.flip(open({ threadId: "old" })), { startImmediately: true })
    const { answer } = yield* call
    answer({ content: [{ type: "text", text: "Not installed." }], isError: true })
    const error = yield* Fiber.join(opening)
    assert.strictEqual(inWords(error), "ConnectionUnavailable server-error not-sent")
    assert.include(error.message, "Not installed.")
  })

  test("names the thread that it started when a turn exceeds its deadline (promise 31)", function* () {
    const { adapter, call, id } = yield* session()
    const request = { content: "go", deadline: Duration.minutes(1) }
    const turn = yield* Effect.forkChild(Effect.flip(adapter.execute(id, request)), { startImmediately: true })
    const { event } = yield* call
    event({ _tag: "ThreadStarted", threadId: "thread-1" })
    yield* TestClock.adjust("1 minute")
    assert.deepInclude({ ...(yield* Fiber.join(turn)) }, { reason: "deadline-exceeded", threadId: "thread-1" })
  })

  test.each([
    [
      { inputTokens: 11, outputTokens: 7 },
      { inputTokens: 11, outputTokens: 7 },
    ],
    [{ inputTokens: 11, outputTokens: "many", more: 1 }, { inputTokens: 11 }],
    [{ inputTokens: -1 }, undefined],
    ["many", undefined],
  ] as const)("reads usage %j as %j", function* ([sent, usage]) {
    const { turn } = yield* session()
    const { answer } = yield* turn("hello", answered("hi", "one", { _meta: { "zain/usage": sent } }))
    assert.deepStrictEqual(answer.usage, usage)
  })

  test.each([
    [
      { retryAfter: 7, window: "primary\u001b[2J", more: 1 },
      { retryAfter: 7, window: "primary\\u{1b}[2J" },
    ],
    [{ retryAfter: -1, window: 7 }, {}],
    [{ retryAfter: 1e300, window: "w".repeat(1_000) }, { window: `${"w".repeat(97)}…` }],
  ] as const)("reads the cause %j of a failed turn as %j", function* ([sent, cause]) {
    const { turn } = yield* session()
    const _meta = { "zain/cause": { _tag: "RateLimited", ...sent } }
    const { answer } = yield* turn("hello", answered("limited", "one", { isError: true, _meta }))
    assert.deepStrictEqual(answer.cause, { _tag: "RateLimited", ...cause })
    const { answer: well } = yield* turn("again", answered("well", "one", { _meta }))
    assert.isUndefined(well.cause)
  })

  test.each([
    { delivery: "not-sent", data: { "zain/delivery": "not-sent" } },
    { delivery: "unknown", data: { "zain/delivery": "unknown" } },
    { delivery: "unknown", data: { "zain/delivery": ["not-sent"] } },
    { delivery: "unknown", data: "not-sent" },
    { delivery: "unknown", data: undefined },
  ])("continues after an error with $data, whose delivery is $delivery", function* ({ data, delivery }) {
    const { say, start, turn } = yield* session()
    yield* turn("hello", answered("hi", "thread-7"))
    const { call, fiber } = yield* start("on")
    say({ id: call.id, error: { code: -32603, message: "Codex was terminated by SIGKILL.", data } })
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(fiber))), `ConnectionUnavailable server-error ${delivery}`)
    assert.strictEqual((yield* turn("again")).call.arguments["threadId"], "thread-7")
  })

  test.each([
    { content: 7 },
    { content: null },
    { content: ["hi"] },
    { content: "hi", threadId: 7 },
    { content: "hi", threadId: ["thread-8"] },
    { threadId: { id: "thread-8" } },
  ])(
    "continues after structured content %j beside a text, which is a protocol-violation (promise 24)",
    function* (structuredContent) {
      const { start, turn } = yield* session()
      yield* turn("hello", answered("hi", "thread-7"))
      const { call, fiber } = yield* start("on")
      call.answer({ content: [{ type: "text", text: "hi" }], structuredContent })
      const error = yield* Effect.flip(Fiber.join(fiber))
      assert.strictEqual(inWords(error), "ConnectionUnavailable protocol-violation unknown")
      assert.match(error.message, /`(content|threadId)` in the structured content of a result is not a string/)
      assert.strictEqual((yield* turn("again")).call.arguments["threadId"], "thread-7")
    },
  )

  test("accepts structured content with missing or additional members, and a failure of any shape", function* () {
    const { turn } = yield* session()
    const content = [{ type: "text", text: "hi" }]
    const partial = yield* turn("hello", { content, structuredContent: { threadId: "thread-7", more: 1 } })
    assert.deepInclude(partial.answer, { content: "hi", threadId: "thread-7" })
    const failed = yield* turn("on", { content, structuredContent: { content: { code: 1 } }, isError: true })
    assert.deepInclude(failed.answer, { content: "hi", isError: true })
  })
})

describe("a first turn that is cancelled (rule 5)", () => {
  test("leaves a thread that the server names after the cancellation", function* () {
    const { start, turn } = yield* session()
    const { call, fiber } = yield* start("hello")
    yield* Fiber.interrupt(fiber)
    call.event({ _tag: "Heartbeat" }, "thread-9")
    assert.strictEqual((yield* turn("on")).call.arguments["threadId"], "thread-9")
  })

  test("loses only its own prompt otherwise: the next prompt starts a thread, and late events do not change it", function* () {
    const { start, turn } = yield* session()
    const first = yield* start("hello")
    yield* Fiber.interrupt(first.fiber)
    const second = yield* start("again")
    assert.strictEqual(second.call.name, "test")
    first.call.event({ _tag: "Heartbeat" }, "thread-1")
    second.call.event({ _tag: "Heartbeat" }, "thread-2")
    yield* Fiber.interrupt(second.fiber)
    assert.strictEqual((yield* turn("on")).call.arguments["threadId"], "thread-2")
  })

  test("leaves the thread that was named last, after a first turn that failed without a thread", function* () {
    const { start, turn } = yield* session()
    const failed = yield* start("hello")
    failed.call.event({ _tag: "Heartbeat" }, "thread-1")
    failed.call.answer({ content: [{ type: "text", text: "Gone." }], isError: true })
    yield* Fiber.join(failed.fiber)
    const { call, fiber } = yield* start("again")
    call.event({ _tag: "Heartbeat" }, "thread-2")
    yield* Fiber.interrupt(fiber)
    assert.strictEqual((yield* turn("on")).call.arguments["threadId"], "thread-2")
  })

  test("does not leave a thread that was named for another session's call", function* () {
    const { say, start, turn } = yield* session()
    const { fiber } = yield* start("hello")
    const params = { _meta: { requestId: "foreign-1", threadId: "theirs" }, event: { _tag: "Heartbeat" } }
    say({ method: "zain/event", params })
    yield* Fiber.interrupt(fiber)
    assert.strictEqual((yield* turn("on")).call.name, "test")
  })
})

const content = ({ sequence: _, sessionId: __, turn: ___, ...event }: McpEvent) => event

/** The events that readers receive for these notifications, between the start and the end of the turn. */
const seen = Effect.fnUntraced(function* (events: ReadonlyArray<unknown>) {
  const { adapter, id, start } = yield* session()
  const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
  const { call, fiber } = yield* start("go")
  for (const event of events) call.event(event)
  call.answer(answered("done"))
  yield* Fiber.join(fiber)
  yield* adapter.closeSession(id)
  const [begun, ...rest] = (yield* Fiber.join(reader)).slice(1, -1).map(content)
  // The first event names the thread, whatever its own kind.
  assert.deepStrictEqual(begun, { _tag: "ThreadStarted", threadId: "thread-1" })
  return rest
})

describe("the events of the agent server (rule 7; promise 24)", () => {
  const whole = [
    { _tag: "TextDelta", text: "he" },
    { _tag: "Message", text: "hello" },
    { _tag: "ToolStarted", toolId: "1", name: "shell", title: "ls" },
    { _tag: "ToolStarted", toolId: "1", name: "shell", title: "ls", input: { command: "ls" } },
    { _tag: "ToolFinished", toolId: "1", name: "shell", isError: false, output: "a" },
    { _tag: "ToolFinished", toolId: "2", name: "shell", isError: true },
    { _tag: "Usage", inputTokens: 1, outputTokens: 2 },
    { _tag: "Usage", outputTokens: 0 },
    { _tag: "Heartbeat" },
    { _tag: "Heartbeat", retrying: "attempt 2 of 5" },
    { _tag: "Raw", method: "turn/plan/updated", params: { plan: [] } },
  ] as const

  test("arrive unchanged and in order, and match core's schema", function* () {
    assert.deepStrictEqual(yield* seen(whole), [...whole] as never)
  })

  test("have their known members only", function* () {
    const odd = JSON.parse('{"_tag":"TextDelta","text":"he","sessionId":"theirs","__proto__":{"polluted":true}}')
    const events = yield* seen([odd])
    assert.deepStrictEqual(events, [{ _tag: "TextDelta", text: "he" }])
    assert.notProperty({}, "polluted")
  })

  test.each([
    [{ _tag: "TextDelta" }],
    [{ _tag: "TextDelta", text: 7 }],
    [{ _tag: "ToolStarted", toolId: "1", name: "shell" }],
    [{ _tag: "ToolFinished", toolId: "1", name: "shell", isError: "no" }],
    [{ _tag: "Usage" }],
    [{ _tag: "Usage", inputTokens: "many", outputTokens: -1 }],
    [{ _tag: "Raw" }],
    [{ _tag: "TurnCompleted", isError: false }],
    [{ _tag: "ApprovalAsked" }],
    [{ _tag: "tomorrow's" }],
    [{ _tag: "toString" }],
    ["text"],
    [null],
    [undefined],
  ] as const)("become Raw and unchanged when unknown or malformed: %j", function* ([event]) {
    const [raw] = yield* seen([event])
    assert.deepInclude(raw, { _tag: "Raw", method: "zain/event" })
    assert.deepStrictEqual((raw as { readonly params: { readonly event?: unknown } }).params.event, event)
  })

  test("include a Heartbeat for each progress notification, which keeps a silent turn alive", function* () {
    const { adapter, id, say, start } = yield* session()
    const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
    const { call, fiber } = yield* start("go")
    for (const progress of [1, 2, 3]) {
      yield* TestClock.adjust("4 minutes")
      say({ method: "notifications/progress", params: { progressToken: call.id, progress } })
    }
    call.answer(answered("done"))
    yield* Fiber.join(fiber)
    yield* adapter.closeSession(id)
    const tags = (yield* Fiber.join(reader)).map(({ _tag }) => _tag)
    assert.deepStrictEqual(tags, ["TurnStarted", "Heartbeat", "Heartbeat", "Heartbeat", "TurnCompleted"])
  })
})

describe("openSession of an agent server's profile", () => {
  test("succeeds for a server of any other name, which may be a proxy", function* () {
    const { open } = yield* connect({ name: "gateway" })
    yield* open()
  })
})
