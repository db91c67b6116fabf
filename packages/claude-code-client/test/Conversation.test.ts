import { readdirSync, renameSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { test } from "../../core/test/Test.ts"
import { resumed, text } from "./OwnWire.ts"
import { inWords, session } from "./Session.ts"

/** Makes what a hook wrote look older, and written by the last process before the ids started again. */
const beforeTheIdsOfProcessesStartedAgain = (directory: string) => {
  const [name = ""] = readdirSync(directory)
  utimesSync(join(directory, name), 1_000_000, 1_000_000)
  renameSync(join(directory, name), join(directory, "99999.json"))
}

const isPending = (fiber: Fiber.Fiber<unknown, unknown>) => assert.isUndefined(fiber.pollUnsafe())

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
    const { first, start, wire } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
    call.answer(resumed)
    yield* TestClock.adjust("1900 millis")
    isPending(fiber)
    wire.stopped("agent-1", "late")
    yield* TestClock.adjust("20 millis")
    assert.strictEqual((yield* Fiber.join(fiber)).content, "late")
  })

  test("and without any reply within two seconds is protocol-violation; the session goes on", function* () {
    const { first, later, start } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
    call.answer(resumed)
    yield* TestClock.adjust("1980 millis")
    isPending(fiber)
    yield* TestClock.adjust("40 millis")
    const error = yield* Effect.flip(Fiber.join(fiber))
    assert.strictEqual(inWords(error), "ConnectionUnavailable protocol-violation unknown")
    assert.strictEqual((yield* later("and again", "here")).answer.content, "here")
  })

  test("a reply that came too late is not taken for the next turn's", function* () {
    const { first, later, start, wire } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
    call.answer(resumed)
    yield* TestClock.adjust("3 seconds")
    yield* Effect.flip(Fiber.join(fiber))
    wire.stopped("agent-1", "too late")
    const next = yield* start("next")
    next.call.answer(resumed)
    yield* TestClock.adjust("100 millis")
    isPending(next.fiber)
    wire.stopped("agent-1", "in time")
    yield* TestClock.adjust("20 millis")
    assert.strictEqual((yield* Fiber.join(next.fiber)).content, "in time")
    yield* later("and again", "here")
  })

  test("the words of other agents are no reply", function* () {
    const { first, start, wire } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
    wire.started("agent-2")
    wire.stopped("agent-2", "of another agent")
    wire.started("agent-1")
    call.answer(resumed)
    yield* TestClock.adjust("100 millis")
    isPending(fiber)
    wire.stopped("agent-1", "its own")
    yield* TestClock.adjust("20 millis")
    assert.strictEqual((yield* Fiber.join(fiber)).content, "its own")
  })

  test("of several replies in one turn the last one counts: a hook of the user's may send the agent on", function* () {
    const { first, start, wire } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
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
      yield* TestClock.adjust("100 millis")
      isPending(next.fiber)
      wire.stopped("agent-1", "here")
      yield* TestClock.adjust("20 millis")
      assert.strictEqual((yield* Fiber.join(next.fiber)).content, "here")
    },
  )

  test("while only its reply was missing goes on, and that reply is not the next turn's", function* () {
    const { first, start, wire } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
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
    const { close, first, start } = yield* session()
    yield* first
    const { call, fiber } = yield* start("again")
    call.answer(resumed)
    yield* TestClock.adjust("100 millis")
    isPending(fiber)
    yield* close
    assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(fiber))), "SessionClosed closed unknown")
  })
})
