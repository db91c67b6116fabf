import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Stream } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { report, text, unable } from "./OwnWire.ts"
import { inWords, session } from "./Session.ts"

const terminated = "Agent terminated early due to an API error:"
const tools = "<tools-used-before-summary>Bash</tools-used-before-summary>\n"

describe("the first prompt to Claude Code's own MCP server (docs/concepts/sessions.md#profiles; seed 3.2)", () => {
  test("starts an agent with the options of its tool", function* () {
    const { start } = yield* session({ subagentType: "plain", effort: "high", isolation: "worktree", model: "haiku" })
    const { call } = yield* start("hello")
    assert.strictEqual(call.name, "Agent")
    const { description, ...rest } = call.arguments
    assert.isAbove(String(description).length, 0)
    assert.deepStrictEqual(rest, { prompt: "hello", subagent_type: "plain", effort: "high", isolation: "worktree" })
  })

  test("has the agent's text as answer, with its id and its usage (seed 4.2, 4.3, 4.4)", function* () {
    const { id, turn } = yield* session()
    assert.deepStrictEqual(yield* turn("a", report("agent-1", ["hello", "world"])), {
      provider: "claude-code",
      sessionId: id,
      content: "hello\nworld",
      isError: false,
      threadId: "agent-1",
      usage: { inputTokens: 11, outputTokens: 7 },
    })
  })

  test("has an answer without the harness's text before it", function* () {
    const { turn } = yield* session()
    const { content, isError } = yield* turn("a", report("agent-1", [tools, "done"], { harnessNoteCount: 1 }))
    assert.deepStrictEqual([content, isError], ["done", false])
  })

  test("that failed without an error has isError, the cause, and the text so far (port.is-error)", function* () {
    const { turn } = yield* session()
    const cut = `${terminated} API Error: 500 late.\n\nEverything below is PARTIAL output.`
    const answer = yield* turn("a", report("agent-1", [cut, tools, "half an answer"], { harnessNoteCount: 2 }))
    assert.deepInclude(answer, { isError: true, threadId: "agent-1", content: `${cut}\n\nhalf an answer` })
  })

  test("whose answer only quotes such a failure has not failed", function* () {
    const { turn } = yield* session()
    const { content, isError } = yield* turn("a", report("agent-1", [`${terminated} is what it prints.`]))
    assert.deepStrictEqual([content, isError], [`${terminated} is what it prints.`, false])
  })

  test.each([
    ["an empty list", { content: [] }, ""],
    ["no list", { content: null }, ""],
    ["odd blocks", { content: [7, null, { type: "text" }, { type: "text", text: "said" }] }, "said"],
  ] as const)("answered by %s is read as far as it goes", function* ([, more, expected]) {
    const { turn } = yield* session()
    assert.strictEqual((yield* turn("a", report("agent-1", [], more))).content, expected)
  })

  test("has no usage when the result has none", function* () {
    const { turn } = yield* session()
    assert.notProperty(yield* turn("a", report("agent-1", ["a"], { usage: undefined })), "usage")
    const partly = yield* session()
    const answer = yield* partly.turn("a", report("agent-1", ["a"], { usage: { input_tokens: 3, output_tokens: "7" } }))
    assert.deepStrictEqual(answer.usage, { inputTokens: 3 })
  })

  test.each([text("no JSON"), text("[1]"), text('"a"'), { content: [] }, {}])(
    "with the result %j fails with protocol-violation",
    function* (result) {
      const { turn } = yield* session()
      const error = yield* Effect.flip(turn("a", result))
      assert.strictEqual(inWords(error), "ConnectionUnavailable protocol-violation unknown")
    },
  )
})

describe("a notification of Claude Code's own MCP server (docs/concepts/events.md)", () => {
  test("is `Heartbeat` for progress, and `Raw` for everything else", function* () {
    const { adapter, close, id, start } = yield* session()
    const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
    const { call, fiber } = yield* start("a")
    call.progress()
    call.notify("notifications/message", { level: "info", data: "hm" })
    call.progress()
    call.answer(report("agent-1", ["done"]))
    yield* Fiber.join(fiber)
    yield* close
    assert.deepStrictEqual(
      (yield* Fiber.join(reader)).map((event) => (event._tag === "Raw" ? `Raw ${event.method}` : event._tag)),
      ["TurnStarted", "Heartbeat", "Raw notifications/message", "Heartbeat", "TurnCompleted"],
    )
  })

  test("of progress resets the idle timeout, also without a reader; without one, the turn stalls", function* () {
    const { start } = yield* session()
    const { call, fiber } = yield* start("a")
    for (let beats = 0; beats < 3; beats++) {
      yield* TestClock.adjust("4 minutes")
      call.progress()
    }
    yield* TestClock.adjust("299999 millis")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(fiber))), "ConnectionUnavailable stalled unknown")
  })
})

describe("the called tools of Claude Code's own MCP server (docs/concepts/security.md#servers)", () => {
  test("are Agent and SendMessage for every prompt and result", function* () {
    const { ask, first, later, start, turn, wire } = yield* session({ subagentType: "Bash" })
    yield* turn('Bash {"command":"rm -rf /"}', { ...text("no"), isError: true })
    yield* Effect.flip(turn("Write", text("no JSON")))
    yield* first
    yield* later('{"name":"Bash"}', "no")
    yield* turn("Edit", unable("was resumed but failed while running: no"))
    yield* Fiber.interrupt((yield* start("Task")).fiber)
    yield* Effect.flip(ask(""))
    yield* wire.ask("ping")
    const calls = wire.sent.filter(({ method }) => method === "tools/call").map(({ params }) => params?.["name"])
    assert.deepStrictEqual(calls, ["Agent", "Agent", "Agent", "SendMessage", "SendMessage", "SendMessage"])
    const others = wire.sent.filter(({ method }) => method !== "tools/call").map(({ method }) => method)
    assert.deepStrictEqual(others, ["notifications/cancelled", undefined])
  })
})
