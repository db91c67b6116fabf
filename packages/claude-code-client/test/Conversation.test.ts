import { readdirSync, renameSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { resumed, text, unable } from "./OwnWire.ts"
import { inWords, resuming, session } from "./Session.ts"

/** Makes a hook's file older, with the name of the last process before ids wrapped around. */
const beforeTheIdsOfProcessesStartedAgain = (directory: string) => {
  const [name = ""] = readdirSync(directory)
  utimesSync(join(directory, name), 1_000_000, 1_000_000)
  renameSync(join(directory, name), join(directory, "99999.json"))
}

const isPending = (fiber: Fiber.Fiber<unknown, unknown>) => assert.isUndefined(fiber.pollUnsafe())

/** Asserts that a turn has no answer for this long, then sends its reply. */
const isAnsweredBy = Effect.fnUntraced(function* (
  { stopped }: Effect.Success<typeof resuming>["wire"],
  fiber: Effect.Success<typeof resuming>["fiber"],
  reply: string,
  after: Duration.Input = "100 millis",
) {
  yield* TestClock.adjust(after)
  isPending(fiber)
  stopped("agent-1", reply)
  yield* TestClock.adjust("20 millis")
  assert.strictEqual((yield* Fiber.join(fiber)).content, reply)
})

describe("a later prompt to Claude Code's own MCP server (rule-6.continues)", () => {
  test("may have an empty or a long reply", function* () {
    const { first, later } = yield* session()
    yield* first
    for (const reply of ["", "x".repeat(400_000), "on we go"]) {
      assert.strictEqual((yield* later("again", reply)).answer.content, reply)
    }
  })

  test("fails with protocol-violation without a reply within two seconds, and the session continues", function* () {
    const { call, fiber, later } = yield* resuming
    call.answer(resumed)
    yield* TestClock.adjust("1980 millis")
    isPending(fiber)
    yield* TestClock.adjust("40 millis")
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.strictEqual(inWords(error), "ConnectionUnavailable protocol-violation unknown")
    assert.strictEqual((yield* later("and again", "here")).answer.content, "here")
  })

  test("does not receive a late reply of the previous turn", function* () {
    const { call, fiber, later, start, wire } = yield* resuming
    call.answer(resumed)
    yield* TestClock.adjust("3 seconds")
    yield* Effect.flip(Fiber.join(fiber))
    wire.stopped("agent-1", "too late")
    const next = yield* start("next")
    next.call.answer(resumed)
    yield* isAnsweredBy(wire, next.fiber, "in time")
    yield* later("and again", "here")
  })

  test("does not receive the messages of other agents", function* () {
    const { call, fiber, wire } = yield* resuming
    wire.started("agent-2")
    wire.stopped("agent-2", "of another agent")
    wire.started("agent-1")
    call.answer(resumed)
    yield* isAnsweredBy(wire, fiber, "its own")
  })

  test("has the last of several replies, because a hook of the user may make the agent continue", function* () {
    const { call, fiber, wire } = yield* resuming
    wire.stopped("agent-1", "one")
    beforeTheIdsOfProcessesStartedAgain(wire.directory())
    wire.stopped("agent-1", "two")
    call.answer(resumed)
    assert.strictEqual((yield* Fiber.join(fiber)).content, "two")
  })
})

describe("a cancelled turn of Claude Code's own MCP server (rule-5.conversation-lost)", () => {
  test.each([
    ["none", []],
    ["two", ["agent-1", "agent-2"]],
  ] as const)(
    "that was the first fails with conversation-lost when the hooks reported %s, and nothing more is sent",
    function* ([, agents]) {
      const { ask, start, wire } = yield* session()
      const { fiber } = yield* start("slow")
      for (const agent of agents) wire.started(agent)
      yield* Fiber.interrupt(fiber)
      yield* wire.ask("ping")
      const sent = wire.sent.length
      assert.strictEqual(inWords(yield* Effect.flip(ask("again"))), "SessionClosed conversation-lost not-sent")
      yield* wire.ask("ping")
      assert.strictEqual(wire.sent.length, sent + 1)
    },
  )

  test("that was the first keeps the conversation also after a failed first turn", function* () {
    const { later, start, wire } = yield* session()
    const failed = yield* start("fails")
    wire.started("agent-0")
    failed.call.answer({ ...text("API Error: 401"), isError: true })
    yield* Fiber.join(failed.fiber)
    const { fiber } = yield* start("slow")
    wire.started("agent-1")
    yield* Fiber.interrupt(fiber)
    assert.strictEqual((yield* later("again", "here")).call.arguments["to"], "agent-1")
  })

  test.each(["first", "later"] as const)("that was a %s one leaves no reply for the next turn", function* (which) {
    const { first, start, wire } = yield* session()
    if (which === "later") yield* first
    const { fiber } = yield* start("slow")
    wire.started("agent-1")
    yield* Fiber.interrupt(fiber)
    wire.stopped("agent-1", "half of what was cancelled")
    const next = yield* start("again")
    next.call.answer(resumed)
    yield* isAnsweredBy(wire, next.fiber, "here")
  })

  test("without only its reply keeps the conversation, and that reply is not the next turn's", function* () {
    const { call, fiber, start, wire } = yield* resuming
    call.answer(resumed)
    yield* TestClock.adjust("100 millis")
    yield* Fiber.interrupt(fiber)
    wire.stopped("agent-1", "of the turn before")
    const next = yield* start("next")
    assert.deepStrictEqual([next.call.name, next.call.arguments["to"]], ["SendMessage", "agent-1"])
    wire.stopped("agent-1", "its own")
    next.call.answer(resumed)
    assert.strictEqual((yield* Fiber.join(next.fiber)).content, "its own")
  })

  test("without only its reply ends immediately when the session closes (rule-4.closing)", function* () {
    const { call, close, fiber } = yield* resuming
    call.answer(resumed)
    yield* TestClock.adjust("100 millis")
    isPending(fiber)
    yield* close
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(fiber))), "SessionClosed closed unknown")
  })
})

describe("a failed SendMessage", () => {
  test("while the agent ran has isError, and the conversation continues (port.is-error)", function* () {
    const { first, later, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" was resumed but failed while running: Agent terminated early due to an API error'
    assert.deepInclude(yield* turn("again", unable(message)), { content: message, isError: true })
    assert.deepInclude(yield* turn("again", { ...text("message must not be empty"), isError: true }), {
      content: "message must not be empty",
      isError: true,
    })
    assert.strictEqual((yield* later("and again", "here")).answer.content, "here")
  })

  test("during the previous turn was not accepted, and may be sent again (port.delivery)", function* () {
    const { first, later, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" could not be resumed: Agent agent-1 is already running or being resumed'
    const error = yield* Effect.flip(turn("again", unable(message)))
    assert.strictEqual(inWords(error), "InvalidRequest rejected-by-server not-sent")
    assert.strictEqual((yield* later("again", "here")).answer.content, "here")
  })

  test("while the agent ran has isError with any message, because the prompt was accepted", function* () {
    const { first, turn } = yield* session()
    yield* first
    for (const words of ["a batch with this id is already running", "the stream could not be resumed"]) {
      const message = `Agent "agent-1" was resumed but failed while running: API Error: 400 ${words}`
      assert.deepInclude(yield* turn("again", unable(message)), { content: message, isError: true })
    }
  })

  test("to an unknown agent fails with conversation-lost, and nothing was done (rule-5.conversation-lost)", function* () {
    const { first, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" could not be resumed: No transcript found for agent ID: agent-1'
    const error = yield* Effect.flip(turn("again", unable(message)))
    assert.strictEqual(inWords(error), "SessionClosed conversation-lost not-sent")
    assert.include(error.message, "No transcript found")
  })
})
