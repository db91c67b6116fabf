import { assert, describe, it } from "@effect/vitest"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { answered } from "./OwnWire.ts"
import { inWords, session } from "./Session.ts"

describe("what Codex asks during a turn (design §5, McpApproval: decline everything by default)", () => {
  const elicitation = {
    message: "Allow Codex to run `touch x`?",
    requestedSchema: { type: "object", properties: {} },
    threadId: "thread-1",
    codex_elicitation: "exec-approval",
    codex_call_id: "call_1",
    codex_command: ["/bin/bash", "-lc", "touch x"],
  }

  it.effect("an elicitation is declined in Codex's dialect, with a reason for the model, and the turn completes", () =>
    Effect.gen(function* () {
      const { start, wire } = yield* session()
      const { call, fiber } = yield* start("touch x")
      const { error, result } = yield* wire.ask("elicitation/create", elicitation)
      assert.isUndefined(error)
      const { action, decision } = result as { action: string; decision: { denied: { rejection: string } } }
      assert.strictEqual(action, "decline")
      assert.match(decision.denied.rejection, /^Declined/)
      call.answer(answered("I may not."))
      assert.strictEqual((yield* Fiber.join(fiber)).content, "I may not.")
    }),
  )

  it.effect("every one of them is answered, also of a kind that we do not know", () =>
    Effect.gen(function* () {
      const { start, wire } = yield* session()
      const { call, fiber } = yield* start("go")
      for (const kind of ["patch-approval", "a kind of tomorrow", undefined]) {
        const { result } = yield* wire.ask("elicitation/create", { ...elicitation, codex_elicitation: kind })
        assert.deepInclude(result as object, { action: "decline" })
      }
      call.answer(answered("done"))
      yield* Fiber.join(fiber)
    }),
  )

  it.effect("restarts the idle limit: the agent is alive", () =>
    Effect.gen(function* () {
      const { start, wire } = yield* session()
      const { call, fiber } = yield* start("go")
      yield* TestClock.adjust("4 minutes")
      yield* wire.ask("elicitation/create", elicitation)
      yield* TestClock.adjust("4 minutes")
      assert.isUndefined(fiber.pollUnsafe())
      call.answer(answered("done"))
      yield* Fiber.join(fiber)
    }),
  )

  it.effect.each(["sampling/createMessage", "roots/list", "codex/unheard-of"])(
    "%s is refused with a JSON-RPC error, and the turn goes on (promise 23)",
    (method) =>
      Effect.gen(function* () {
        const { start, wire } = yield* session()
        const { call, fiber } = yield* start("go")
        const { error, result } = yield* wire.ask(method, {})
        assert.strictEqual(error?.code, -32601)
        assert.isUndefined(result)
        call.answer(answered("done"))
        assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
      }),
  )

  it.effect("ping is answered, also between turns", () =>
    Effect.gen(function* () {
      const { wire } = yield* session()
      assert.deepStrictEqual((yield* wire.ask("ping", {})).result, {})
    }),
  )
})

describe("a cancelled turn loses the conversation (design §4, rule 5; Codex answers under the wrong id after it)", () => {
  const isLost = ({ ask, wire }: Effect.Success<ReturnType<typeof session>>) =>
    Effect.gen(function* () {
      const sent = wire.sent.length
      for (const prompt of ["again", "and again"]) {
        const error = yield* Effect.flip(ask(prompt))
        assert.strictEqual(inWords(error), "SessionClosed conversation-lost not-sent")
        assert.match(error.message, /Open a new session/)
      }
      yield* wire.ask("ping", {})
      assert.strictEqual(wire.sent.length, sent + 1, "something but the answer to the ping was sent")
    })

  it.effect("a later one: Codex is told, and nothing more is sent", () =>
    Effect.gen(function* () {
      const open = yield* session()
      yield* open.turn("one")
      const { call, fiber } = yield* open.start("two")
      yield* Fiber.interrupt(fiber)
      yield* open.wire.ask("ping", {})
      const cancelled = open.wire.sent.filter(({ method }) => method === "notifications/cancelled")
      assert.deepStrictEqual(
        cancelled.map(({ params }) => params?.["requestId"]),
        [call.id],
      )
      yield* isLost(open)
    }),
  )

  it.effect("the first one too, even when its answer still comes", () =>
    Effect.gen(function* () {
      const open = yield* session()
      const { call, fiber } = yield* open.start("one")
      yield* Fiber.interrupt(fiber)
      yield* open.wire.ask("ping", {})
      call.answer(answered("too late"))
      yield* isLost(open)
    }),
  )

  it.effect("one that stalled, and one whose deadline passed, are cancelled turns", () =>
    Effect.gen(function* () {
      for (const limit of ["idle", "deadline"]) {
        const open = yield* session()
        const fiber = yield* Effect.forkChild(
          open.adapter.execute(open.id, limit === "idle" ? { content: "go" } : parsed("go", "5 minutes")),
        )
        yield* open.wire.next
        yield* TestClock.adjust("5 minutes")
        const expected = limit === "idle" ? "stalled" : "deadline-exceeded"
        assert.strictEqual((yield* Effect.flip(Fiber.join(fiber))).reason, expected)
        yield* open.wire.ask("ping", {})
        assert.isTrue(open.wire.sent.some(({ method }) => method === "notifications/cancelled"))
        yield* isLost(open)
      }
    }),
  )

  it.effect("one that was still waiting for its turn loses nothing", () =>
    Effect.gen(function* () {
      const { ask, start, turn } = yield* session()
      const { call, fiber } = yield* start("one")
      const waiting = yield* Effect.forkChild(ask("two"), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      call.answer(answered("1"))
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* turn("three", answered("3"))).answer.content, "3")
    }),
  )

  it.effect("another session of the same client is not touched", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* session(), yield* session()]
      const { fiber } = yield* one.start("one")
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* two.turn("two", answered("2"))).answer.content, "2")
    }),
  )
})

describe("a failed turn (Codex delivers each answer one call late after it)", () => {
  const failed = { ...answered("unexpected status 500", "thread-1"), isError: true }

  it.effect("that was the first leaves nothing to lose: the next prompt starts a thread of its own", () =>
    Effect.gen(function* () {
      const { turn } = yield* session()
      const { answer } = yield* turn("one", failed)
      assert.isTrue(answer.isError)
      assert.notProperty(answer, "threadId")
      const next = yield* turn("two", answered("2", "thread-2"))
      assert.deepStrictEqual([next.call.name, next.call.arguments], ["codex", { prompt: "two" }])
      assert.strictEqual(next.answer.threadId, "thread-2")
    }),
  )

  it.effect("that was a later one is a response with isError, and then conversation-lost: nothing more is sent", () =>
    Effect.gen(function* () {
      const { adapter, ask, turn, wire } = yield* session()
      assert.isFalse(adapter.supports.failureKeepsConversation)
      yield* turn("one")
      const { answer } = yield* turn("two", failed)
      assert.deepInclude(answer, { isError: true, content: "unexpected status 500" })
      const sent = wire.sent.length
      assert.strictEqual(inWords(yield* Effect.flip(ask("three"))), "SessionClosed conversation-lost not-sent")
      yield* wire.ask("ping", {})
      assert.strictEqual(wire.sent.length, sent + 1, "something but the answer to the ping was sent")
    }),
  )
})

describe("a Codex that ends (design §4, rule 4)", () => {
  const gone = new ConnectionUnavailable({ reason: "server-exited", message: "Gone.", delivery: "unknown" })

  it.effect("fails the turn under way with delivery unknown, later ones with not-sent", () =>
    Effect.gen(function* () {
      const { ask, start, wire } = yield* session()
      const { fiber } = yield* start("one")
      wire.end(gone)
      assert.strictEqual(inWords(yield* Effect.flip(Fiber.join(fiber))), "ConnectionUnavailable server-exited unknown")
      assert.strictEqual(inWords(yield* Effect.flip(ask("two"))), "ConnectionUnavailable server-exited not-sent")
    }),
  )
})

const parsed = (content: string, deadline: string) => ({ content, deadline }) as unknown as { readonly content: string }
