import { readdirSync, renameSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { test } from "../../core/test/Test.ts"
import { resumed, text, unable } from "./OwnWire.ts"
import { inWords, resuming, session } from "./Session.ts"

/** Makes what a hook wrote look older, and written by the last process before the ids started again. */
const beforeTheIdsOfProcessesStartedAgain = (directory: string) => {
  const [name = ""] = readdirSync(directory)
  utimesSync(join(directory, name), 1_000_000, 1_000_000)
  renameSync(join(directory, name), join(directory, "99999.json"))
}

const isPending = (fiber: Fiber.Fiber<unknown, unknown>) => assert.isUndefined(fiber.pollUnsafe())

/** That a turn has no answer for so long, and then the reply that comes. */
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

describe("a later prompt goes to the agent, and its reply comes by the hook (design §6; rule 6)", () => {
  test("as SendMessage, and is answered by what the hook was given", function* () {
    const { first, id, later } = yield* session({ subagentType: "plain" })
    yield* first
    const { answer, call } = yield* later("again", "it's “me” again\n$HOME `id`")
    assert.strictEqual(call.name, "SendMessage")
    const { summary, ...rest } = call.arguments
    assert.isAtMost(String(summary).length, 200)
    assert.deepStrictEqual(rest, { to: "agent-1", message: "again" })
    assert.deepStrictEqual(answer, {
      provider: "claude-code",
      sessionId: id,
      content: "it's “me” again\n$HOME `id`",
      isError: false,
      threadId: "agent-1",
    })
  })

  test("also when the reply is empty, and when it is long", function* () {
    const { first, later } = yield* session()
    yield* first
    for (const reply of ["", "x".repeat(400_000), "on we go"]) {
      assert.strictEqual((yield* later("again", reply)).answer.content, reply)
    }
  })

  test("also when the reply comes after the result", function* () {
    const { call, fiber, wire } = yield* resuming
    call.answer(resumed)
    yield* isAnsweredBy(wire, fiber, "late", "1900 millis")
  })

  test("and without any reply within two seconds is protocol-violation; the session goes on", function* () {
    const { call, fiber, later } = yield* resuming
    call.answer(resumed)
    yield* TestClock.adjust("1980 millis")
    isPending(fiber)
    yield* TestClock.adjust("40 millis")
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.strictEqual(inWords(error), "ConnectionUnavailable protocol-violation unknown")
    assert.strictEqual((yield* later("and again", "here")).answer.content, "here")
  })

  test("a reply that came too late is not taken for the next turn's", function* () {
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

  test("the words of other agents are no reply", function* () {
    const { call, fiber, wire } = yield* resuming
    wire.started("agent-2")
    wire.stopped("agent-2", "of another agent")
    wire.started("agent-1")
    call.answer(resumed)
    yield* isAnsweredBy(wire, fiber, "its own")
  })

  test("of several replies in one turn the last one counts: a hook of the user's may send the agent on", function* () {
    const { call, fiber, wire } = yield* resuming
    wire.stopped("agent-1", "one")
    beforeTheIdsOfProcessesStartedAgain(wire.directory())
    wire.stopped("agent-1", "two")
    call.answer(resumed)
    assert.strictEqual((yield* Fiber.join(fiber)).content, "two")
  })
})

describe("a cancelled turn (design §4, rule 5)", () => {
  test("that was the first goes on when a hook told which agent it was", function* () {
    const { later, start, wire } = yield* session()
    const { fiber } = yield* start("slow")
    wire.started("agent-1")
    yield* Fiber.interrupt(fiber)
    const { answer, call } = yield* later("again", "here")
    assert.deepStrictEqual([call.name, call.arguments["to"], answer.content], ["SendMessage", "agent-1", "here"])
  })

  test.each([
    ["none", []],
    ["two", ["agent-1", "agent-2"]],
  ] as const)(
    "that was the first is conversation-lost when the hooks told of %s, and nothing more is sent",
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

  test("that was the first goes on also after a first turn that had failed", function* () {
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

  test.each(["first", "later"] as const)(
    "that was a %s one leaves no words that the next turn could take for its own",
    function* (which) {
      const { first, start, wire } = yield* session()
      if (which === "later") yield* first
      const { fiber } = yield* start("slow")
      wire.started("agent-1")
      yield* Fiber.interrupt(fiber)
      wire.stopped("agent-1", "half of what was cancelled")
      const next = yield* start("again")
      next.call.answer(resumed)
      yield* isAnsweredBy(wire, next.fiber, "here")
    },
  )

  test("while only its reply was missing goes on, and that reply is not the next turn's", function* () {
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

  test("while only its reply is missing ends at once when the session closes (design §4, rule 4)", function* () {
    const { call, close, fiber } = yield* resuming
    call.answer(resumed)
    yield* TestClock.adjust("100 millis")
    isPending(fiber)
    yield* close
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(fiber))), "SessionClosed closed unknown")
  })
})

describe("a SendMessage that failed", () => {
  test("while the agent ran is isError, and the conversation goes on (design §4, McpResponse)", function* () {
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

  test("because the turn before is not over yet was not taken up, and may be sent again (design §4, delivery)", function* () {
    const { first, later, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" could not be resumed: Agent agent-1 is already running or being resumed'
    const error = yield* Effect.flip(turn("again", unable(message)))
    assert.strictEqual(inWords(error), "InvalidRequest rejected-by-server not-sent")
    assert.strictEqual((yield* later("again", "here")).answer.content, "here")
  })

  test("while the agent ran is isError whatever words it failed with: the prompt was taken up", function* () {
    const { first, turn } = yield* session()
    yield* first
    for (const words of ["a batch with this id is already running", "the stream could not be resumed"]) {
      const message = `Agent "agent-1" was resumed but failed while running: API Error: 400 ${words}`
      assert.deepInclude(yield* turn("again", unable(message)), { content: message, isError: true })
    }
  })

  test("because the agent is unknown is conversation-lost, and nothing was done (design §4, rule 5)", function* () {
    const { first, turn } = yield* session()
    yield* first
    const message = 'Agent "agent-1" could not be resumed: No transcript found for agent ID: agent-1'
    const error = yield* Effect.flip(turn("again", unable(message)))
    assert.strictEqual(inWords(error), "SessionClosed conversation-lost not-sent")
    assert.include(error.message, "No transcript found")
  })
})
