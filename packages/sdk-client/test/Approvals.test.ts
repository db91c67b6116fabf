/** What a server asks before its agent acts: every question has one answer, whatever becomes of the turn. */
import { assert, describe, it } from "@effect/vitest"
import type { McpApprovalDecision, McpApprovalPolicy } from "@zain/core/McpApproval"
import * as McpApproval from "@zain/core/McpApproval"
import { ConnectionUnavailable } from "@zain/core/McpError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { mostAtOnce } from "../src/ServerRequests.ts"
import { answered, elicitation, session } from "./AgentServerPeer.ts"

const always =
  (decision: McpApprovalDecision): McpApprovalPolicy =>
  () =>
    Effect.succeed(decision)
const undecided: McpApprovalPolicy = () => Effect.never
const actionOf = ({ result }: { readonly result?: unknown }) => (result as { readonly action?: unknown })?.action

describe("an approval of the agent server's (design §5; MCP elicitation, form)", () => {
  it.effect.each([
    [McpApproval.approve, { action: "accept", content: {} }],
    [McpApproval.approveForSession, { action: "accept", content: { forSession: true } }],
    [McpApproval.decline("Not here."), { action: "decline", content: { reason: "Not here." } }],
  ] as const)("%j reaches the server, and the turn goes on", ([decision, result]) =>
    Effect.gen(function* () {
      const { ask, start } = yield* session({ approvals: always(decision) })
      const { call, fiber } = yield* start("go")
      assert.deepStrictEqual(yield* ask(1, elicitation()), { jsonrpc: "2.0", id: 1, result } as object)
      call.answer(answered("done"))
      assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
    }),
  )

  it.effect("reaches the policy whole, and with who asks", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const { ask, call, id, start } = yield* session({
        approvals: (...given) => {
          heard.push(...given)
          return Effect.succeed(McpApproval.approve)
        },
      }).pipe(Effect.map((made) => ({ ...made, call: undefined })))
      yield* start("go")
      const request = {
        kind: "file-change",
        message: "Write?",
        paths: ["/srv/a"],
        cwd: "/srv",
        reason: "It is asked for.",
      }
      yield* ask("a", elicitation({ ...request, unknown: "ignored" }))
      assert.isUndefined(call)
      assert.deepStrictEqual(heard, [request, { provider: "test-agent", sessionId: id, turn: 1 }])
    }),
  )

  it.effect("says at the handshake that it can be asked, and that it reads events", () =>
    Effect.gen(function* () {
      const { said } = yield* session()
      assert.deepStrictEqual(said[0]?.params?.["capabilities"], {
        elicitation: { form: {} },
        experimental: { "zain/events": {} },
      })
    }),
  )

  it.effect.each([0, -1, 1.5, 2 ** 53, "", "an id", "__proto__", null] as const)(
    "with the id %j is answered under exactly that id",
    (id) =>
      Effect.gen(function* () {
        const { ask, start } = yield* session({ approvals: always(McpApproval.approve) })
        yield* start("go")
        const answer = yield* ask(id, elicitation())
        assert.deepStrictEqual([answer.id, actionOf(answer)], [id, "accept"])
      }),
  )

  it.effect("may be one of several at once, and each gets its own answer (order is theirs)", () =>
    Effect.gen(function* () {
      const decisions = new Map<string | undefined, Deferred.Deferred<McpApprovalDecision>>()
      const { answers, question, start } = yield* session({
        approvals: ({ command }) => {
          const decision = Deferred.makeUnsafe<McpApprovalDecision>()
          decisions.set(command, decision)
          return Deferred.await(decision)
        },
      })
      yield* start("go")
      for (const command of ["a", "b", "c"]) {
        question(command, elicitation({ kind: "command", message: "May I?", command }))
      }
      const given: Array<unknown> = []
      for (const command of ["c", "a", "b"]) {
        yield* Deferred.succeed(
          decisions.get(command) as never,
          command === "a" ? McpApproval.approve : McpApproval.decline(),
        )
        const answer = yield* Queue.take(answers)
        given.push([answer.id, actionOf(answer)])
      }
      assert.deepStrictEqual(given, [
        ["c", "decline"],
        ["a", "accept"],
        ["b", "decline"],
      ])
    }),
  )
})

describe("whatever happens, a question gets one answer (promises 2, 7, 23)", () => {
  it.effect.each([
    ["throws", () => assert.fail("its own")],
    ["dies", () => Effect.die("its own")],
    ["interrupts itself", () => Effect.interrupt],
  ] as const)("of a policy that %s: declined", ([, policy]) =>
    Effect.gen(function* () {
      const { ask, start, turn } = yield* session({ approvals: policy as McpApprovalPolicy })
      const { call, fiber } = yield* start("go")
      assert.strictEqual(actionOf(yield* ask(1, elicitation())), "decline")
      call.answer(answered("done"))
      yield* Fiber.join(fiber)
      yield* turn("next")
    }),
  )

  it.effect("between turns: declined at once, and nobody is asked", () =>
    Effect.gen(function* () {
      let asked = 0
      const policy: McpApprovalPolicy = () => {
        asked++
        return Effect.succeed(McpApproval.approve)
      }
      const { ask, turn } = yield* session({ approvals: policy })
      assert.strictEqual(actionOf(yield* ask(1, elicitation())), "decline")
      yield* turn("go")
      assert.strictEqual(actionOf(yield* ask(2, elicitation())), "decline")
      assert.strictEqual(asked, 0)
    }),
  )

  it.effect(
    "of a turn that is cancelled: the server is told of both, and a decision that comes later changes nothing",
    () =>
      Effect.gen(function* () {
        const decision = yield* Deferred.make<McpApprovalDecision>()
        const { question, said, start, turn } = yield* session({
          approvals: () => Effect.uninterruptible(Deferred.await(decision)),
        })
        const { call, fiber } = yield* start("go")
        call.event({ _tag: "Heartbeat" })
        question("q", elicitation())
        const before = said.length
        yield* Fiber.interrupt(fiber)
        const words = said.slice(before).map(({ id, method, result }) => method ?? `${id} ${actionOf({ result })}`)
        assert.deepStrictEqual(words, ["notifications/cancelled", "q decline"])
        yield* Deferred.succeed(decision, McpApproval.approve)
        yield* turn("next")
        assert.strictEqual(said.filter(({ id }) => id === "q").length, 1)
      }),
  )

  it.effect("of a turn that answers without waiting: declined with its end", () =>
    Effect.gen(function* () {
      const { answers, question, start } = yield* session({ approvals: undecided })
      const { call, fiber } = yield* start("go")
      question("q", elicitation())
      call.answer(answered("done"))
      assert.strictEqual(actionOf(yield* Queue.take(answers)), "decline")
      assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
    }),
  )

  it.effect("of a session that closes: declined before the wire ends", () =>
    Effect.gen(function* () {
      const { adapter, answers, id, question, start } = yield* session({ approvals: undecided })
      yield* start("go")
      question("q", elicitation())
      yield* adapter.closeSession(id)
      assert.strictEqual(actionOf(yield* Queue.take(answers)), "decline")
    }),
  )

  it.effect("of a server that is gone: the turn ends at once, and the policy is told that nobody waits", () =>
    Effect.gen(function* () {
      let stopped = 0
      const { end, question, start } = yield* session({
        approvals: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped++)),
      })
      const { fiber } = yield* start("go")
      question("q", elicitation())
      end(new ConnectionUnavailable({ reason: "server-exited", message: "gone", delivery: "unknown" }))
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber))).reason, "server-exited")
      assert.strictEqual(stopped, 1)
    }),
  )

  it.effect("one that the server withdraws is not answered, and nobody decides it any more (MCP, cancellation)", () =>
    Effect.gen(function* () {
      let stopped = 0
      const { ask, question, said, say, start } = yield* session({
        approvals: ({ command }) =>
          command === "other"
            ? Effect.succeed(McpApproval.approve)
            : Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped++)),
      })
      const { call, fiber } = yield* start("go")
      question(7, elicitation())
      say({ method: "notifications/cancelled", params: { requestId: 7, reason: "timeout" } })
      assert.strictEqual(stopped, 1)
      yield* ask(8, elicitation({ kind: "command", message: "May I?", command: "other" }))
      call.answer(answered("done"))
      yield* Fiber.join(fiber)
      assert.isFalse(said.some(({ id }) => id === 7))
    }),
  )

  it.effect("of a flood: those beyond a bound are declined at once, and the turn goes on (promise 14)", () =>
    Effect.gen(function* () {
      const { question, said, start } = yield* session({ approvals: undecided })
      const { call, fiber } = yield* start("go")
      for (let at = 0; at < 10_000; at++) question(at, elicitation())
      const declined = () => said.filter((one) => actionOf(one) === "decline").length
      assert.strictEqual(declined(), 10_000 - mostAtOnce)
      call.answer(answered("done"))
      assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
      assert.strictEqual(declined(), 10_000)
    }),
  )
})

describe("what is no approval", () => {
  it.effect.each([
    ["elicitation/create", { ...elicitation(), _meta: undefined }],
    ["elicitation/create", elicitation({ kind: "anything", message: "May I?" })],
    ["elicitation/create", elicitation({ kind: "command" })],
    ["elicitation/create", elicitation(["command"])],
    ["elicitation/create", undefined],
    ["elicitation/create", []],
    ["sampling/createMessage", elicitation()],
    ["zain/unheard-of", elicitation()],
  ] as const)("%s %j is refused, nobody is asked, and the turn goes on (promise 23)", ([method, params]) =>
    Effect.gen(function* () {
      const { ask, start } = yield* session({ approvals: () => assert.fail("nobody is asked") })
      const { call, fiber } = yield* start("go")
      assert.strictEqual((yield* ask(1, params, method)).error?.code, -32601)
      call.answer(answered("done"))
      assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
    }),
  )
})

describe("what readers see of it (rule 7)", () => {
  it.effect(
    "the question and the answer stand between the events of the wire, and a thinking person is no silence",
    () =>
      Effect.gen(function* () {
        const { adapter, answers, id, question, start } = yield* session({
          approvals: McpApproval.make({ ask: () => Effect.as(Effect.sleep("1 hour"), "approve"), deadline: "2 hours" }),
        })
        const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
        const { call, fiber } = yield* start("go")
        call.event({ _tag: "TextDelta", text: "I will ask." })
        question(1, elicitation())
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(actionOf(yield* Queue.take(answers)), "accept")
        call.event({ _tag: "TextDelta", text: "Thank you." })
        call.answer(answered("done"))
        yield* Fiber.join(fiber)
        yield* adapter.closeSession(id)
        assert.deepStrictEqual(
          (yield* Fiber.join(reader)).map(({ _tag }) => _tag),
          ["TurnStarted", "TextDelta", "ApprovalAsked", "ApprovalDecided", "TextDelta", "TurnCompleted"],
        )
      }),
  )
})
