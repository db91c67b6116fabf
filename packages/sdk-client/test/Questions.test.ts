/** Approval requests whose turn, policy or session ends: each receives one answer. */
import { assert, describe } from "@effect/vitest"
import type { McpApprovalDecision, McpApprovalPolicy } from "@zain/core/McpApproval"
import * as McpApproval from "@zain/core/McpApproval"
import { ConnectionUnavailable } from "@zain/core/McpError"
import { test } from "@zain/testkit/Test"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { maxAtOnce } from "../src/ServerRequests.ts"
import { actionOf, answered, elicitation, session } from "./AgentServerPeer.ts"

const undecided: McpApprovalPolicy = () => Effect.never

describe("an approval request receives exactly one answer (promises 2, 7, 23)", () => {
  test("when the policy interrupts itself: it is declined", function* () {
    const { ask, start, turn } = yield* session({ approvals: () => Effect.interrupt })
    const { call, fiber } = yield* start("go")
    assert.strictEqual(actionOf(yield* ask(1, elicitation())), "decline")
    call.answer(answered("done"))
    yield* Fiber.join(fiber)
    yield* turn("next")
  })

  test("between turns: it is declined immediately without calling the policy", function* () {
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
  })

  test("when its turn is cancelled: it is declined, and a later decision is ignored", function* () {
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
  })

  test("when its session closes: it is declined before the wire ends", function* () {
    const { adapter, answers, id, question, start } = yield* session({ approvals: undecided })
    yield* start("go")
    question("q", elicitation())
    yield* adapter.closeSession(id)
    assert.strictEqual(actionOf(yield* Queue.take(answers)), "decline")
  })

  test("unless the server is gone: the turn ends immediately, and the policy is interrupted", function* () {
    let stopped = 0
    const { end, question, start } = yield* session({
      approvals: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped++)),
    })
    const { fiber } = yield* start("go")
    question("q", elicitation())
    end(new ConnectionUnavailable({ reason: "server-exited", message: "gone", delivery: "unknown" }))
    assert.strictEqual((yield* Effect.flip(Fiber.join(fiber))).reason, "server-exited")
    assert.strictEqual(stopped, 1)
  })

  test.each([
    ["approves afterwards", Effect.succeed(McpApproval.approve)],
    ["never decides", Effect.never],
    ["never decides, and cannot be interrupted", Effect.uninterruptible(Effect.never)],
  ] as const)(
    "when the policy ends its own turn and %s: it is declined once, and the policy is interrupted",
    function* ([, rest]) {
      let end = () => {}
      const { question, said, start, turn } = yield* session({
        approvals: () =>
          Effect.suspend(() => {
            end()
            return rest
          }),
      })
      const { call, fiber } = yield* start("go")
      end = () => call.answer(answered("done"))
      question("q", elicitation())
      assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
      const answers = () => said.flatMap((one) => (one.id === "q" ? [actionOf(one)] : []))
      assert.deepStrictEqual(answers(), ["decline"])
      yield* turn("next")
      assert.deepStrictEqual(answers(), ["decline"])
    },
  )

  test("when the policy cancels its own turn: it is declined, and the policy is interrupted", function* () {
    let stopped = 0
    let cancel = () => {}
    const { question, said, start } = yield* session({
      approvals: () =>
        Effect.onInterrupt(
          Effect.suspend(() => {
            cancel()
            return Effect.never
          }),
          () => Effect.sync(() => stopped++),
        ),
    })
    const { fiber } = yield* start("go")
    cancel = () => fiber.interruptUnsafe()
    question("q", elicitation())
    yield* Fiber.await(fiber)
    assert.deepStrictEqual(
      said.flatMap((one) => (one.id === "q" ? [actionOf(one)] : [])),
      ["decline"],
    )
    assert.strictEqual(stopped, 1)
  })

  test("when it names the call of an earlier turn: it is declined immediately", function* () {
    const heard: Array<unknown> = []
    const { ask, start } = yield* session({
      approvals: (_, { turn }) => {
        heard.push(turn)
        return Effect.succeed(McpApproval.approve)
      },
    })
    const first = yield* start("first")
    yield* Fiber.interrupt(first.fiber)
    const second = yield* start("second")
    const of = (names: object) => ({ ...elicitation(), _meta: { ...elicitation()._meta, ...names } })
    assert.strictEqual(actionOf(yield* ask(1, of({ requestId: first.call.id }))), "decline")
    assert.strictEqual(actionOf(yield* ask(2, { ...elicitation(), progressToken: first.call.id })), "decline")
    assert.deepStrictEqual(heard, [])
    assert.strictEqual(actionOf(yield* ask(3, of({ requestId: second.call.id }))), "accept")
    assert.strictEqual(actionOf(yield* ask(4, elicitation())), "accept")
    // Its own progress token is for progress of the answer.
    assert.strictEqual(actionOf(yield* ask(5, of({ progressToken: "theirs" }))), "accept")
    assert.deepStrictEqual(heard, [2, 2, 2])
  })

  test("unless the server withdraws it: no answer is sent, and the policy is interrupted (MCP, cancellation)", function* () {
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
  })

  test("in a flood: those beyond the bound are declined immediately, and the turn continues (promise 14)", function* () {
    const { question, said, start } = yield* session({ approvals: undecided })
    const { call, fiber } = yield* start("go")
    for (let at = 0; at < 10_000; at++) question(at, elicitation())
    const declined = () => said.filter((one) => actionOf(one) === "decline").length
    assert.strictEqual(declined(), 10_000 - maxAtOnce)
    call.answer(answered("done"))
    assert.strictEqual((yield* Fiber.join(fiber)).content, "done")
    assert.strictEqual(declined(), 10_000)
  })
})
