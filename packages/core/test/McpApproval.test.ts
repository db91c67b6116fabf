/** Policies: rules, then a callback with a deadline; approvals fail closed. */
import { assert, describe } from "@effect/vitest"
import { McpApproval } from "@zain/core"
import type { McpApprovalEntry } from "@zain/core/McpApproval"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { start } from "../testing/HeldAgent.ts"
import { ask, asker, command } from "./ApprovalAsk.ts"

const { approve, approveForSession, decline } = McpApproval
describe("the default approval policy (approval.default; promise 23)", () => {
  test("declines, with a reason for the agent", function* () {
    const { by, decision } = yield* ask({})
    assert.strictEqual(by, "default")
    assert.match(decline()._tag === "Decline" ? JSON.stringify(decline()) : "", /Declined by the policy/)
    const why = "no rule of its client's `approvals` approves this"
    assert.deepStrictEqual(decision, decline(`Declined by the policy of this session: ${why}. Continue without it.`))
    const inPlace = yield* McpApproval.McpApproval
    assert.strictEqual((yield* inPlace(command("ls"), asker))._tag, "Decline")
  })
})

describe("the `ask` callback (docs/concepts/approvals.md)", () => {
  test("receives the requests that no rule decides, with their origin, and returns a value, a promise or an Effect", function* () {
    const heard: Array<unknown> = []
    const answers = ["approve", async () => "approve-for-session", Effect.succeed({ decline: "No." })] as const
    for (const answer of answers) {
      const { by, decision } = yield* ask({
        rules: [{ kind: "file-change", answer: "approve" }],
        ask: (request, { signal, ...who }) => {
          heard.push([request.command, who, signal.aborted])
          return (typeof answer === "function" ? answer() : answer) as never
        },
      })
      assert.strictEqual(by, "ask")
      heard.push(decision)
    }
    const said = ["git status", asker, false]
    assert.deepStrictEqual(heard, [said, approve, said, approveForSession, said, decline("No.")])
  })

  test.each<readonly [string, () => unknown]>([
    ["throws", () => assert.fail("its own")],
    ["rejects", () => Promise.reject(new Error("its own"))],
    ["fails", () => Effect.fail("its own")],
    ["dies", () => Effect.die(new Error("its own"))],
    ["interrupts itself", () => Effect.interrupt],
    ["returns true", () => true],
    ["returns undefined", () => undefined],
    ["resolves with an unknown decision", async () => ({ _tag: "Maybe" })],
    ["declines with an invalid reason", () => ({ decline: 7 })],
  ])("declines if it %s, and the defect does not escape (promise 7)", function* ([, answer]) {
    const { by, said } = yield* ask({ ask: answer as never })
    assert.deepStrictEqual([said, by], ["Decline", "failure"])
  })

  test("declines after two minutes by default, and its signal aborts (promise 23: its own deadline)", function* () {
    let signal: AbortSignal | undefined
    const asked = yield* start(
      ask({
        ask: (_, waiting) => {
          signal = waiting.signal
          return new Promise<never>(() => {})
        },
      }),
    )
    yield* TestClock.adjust("119 seconds")
    assert.isUndefined(asked.pollUnsafe())
    assert.isFalse(signal?.aborted)
    yield* TestClock.adjust("1 second")
    const { by, entry, said } = yield* Fiber.join(asked)
    assert.deepStrictEqual([said, by, entry?.tookMillis], ["Decline", "deadline", 120_000])
    assert.isTrue(signal?.aborted)
  })

  test("is ignored after its deadline, even if it cannot be interrupted", function* () {
    const asked = yield* start(ask({ ask: () => Effect.uninterruptible(Effect.never), deadline: "5 seconds" }))
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual((yield* Fiber.join(asked)).by, "deadline")
  })

  test("runs an Effect with the clock of the turn, and its deadline applies to it", function* () {
    const slow = (wait: string) =>
      ask({ ask: () => Effect.as(Effect.sleep(wait as never), "approve"), deadline: 1_000 })
    const [fast, late] = [yield* start(slow("999 millis")), yield* start(slow("1001 millis"))]
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual([(yield* Fiber.join(fast)).by, (yield* Fiber.join(late)).by], ["ask", "deadline"])
  })
})

describe("the approval log (docs/concepts/approvals.md)", () => {
  test("has an entry for every decision with time, origin, request, decision, its source and its duration", function* () {
    yield* TestClock.setTime(1_000)
    const asked = yield* start(ask({ ask: () => Effect.as(Effect.sleep(250), "approve") }))
    yield* TestClock.adjust(250)
    const { log } = yield* Fiber.join(asked)
    assert.deepStrictEqual(log, [
      { ...asker, at: 1_000, request: command("git status"), decision: approve, by: "ask", tookMillis: 250 },
    ])
  })

  test("has an entry for an interrupted request, whose callback is interrupted", function* () {
    const log: Array<McpApprovalEntry> = []
    let stopped = 0
    const policy = McpApproval.make({
      ask: () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => stopped++)),
      log: (entry) => void log.push(entry),
    })
    const asked = yield* start(policy(command("ls"), asker))
    yield* Fiber.interrupt(asked)
    assert.deepStrictEqual(
      log.map(({ by, decision }) => [by, decision._tag]),
      [["interrupted", "Decline"]],
    )
    assert.strictEqual(stopped, 1)
  })

  test.each<readonly [string, () => unknown]>([
    ["throws", () => assert.fail("its own")],
    ["rejects", () => Promise.reject(new Error("its own"))],
    ["dies", () => Effect.die("its own")],
    ["never ends", () => Effect.never],
  ])("changes no decision and is not awaited if it %s (promise 7)", function* ([, log]) {
    const { said } = yield* ask({ rules: [{ answer: "approve" }], log: log as never })
    assert.strictEqual(said, "Approve")
  })
})
