import { assert, describe, it } from "@effect/vitest"
import { ConnectionUnavailable, InvalidRequest, type McpError, SessionClosed } from "@zain/core/McpError"
import { AttemptFailure, badAnswer, ofMcpError } from "@zain/loopsmith/AttemptFailure"
import * as Retry from "@zain/loopsmith/Retry"
import { test } from "@zain/testkit/Test"
import { Cause, Clock, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"

const passing = new AttemptFailure({ reason: "agent", details: "not now", retryable: true })
const lasting = new AttemptFailure({ reason: "agent", details: "never", retryable: false })

const unavailable = (reason: ConnectionUnavailable["reason"], retryAfter?: number) =>
  new ConnectionUnavailable({
    reason,
    message: `it is ${reason}`,
    delivery: "unknown",
    ...(retryAfter === undefined ? {} : { diagnostics: { retryAfter } }),
  })

/** Runs attempts with these outcomes, the last of which repeats, and records their starts, problems and events. */
const rehearse = Effect.fnUntraced(function* (
  outcomes: ReadonlyArray<Effect.Effect<string, AttemptFailure>>,
  limits: Retry.Limits = {},
) {
  const begun: Array<number> = []
  const problems: Array<string | undefined> = []
  const events: Array<string> = []
  const running = yield* Effect.forkChild(
    Effect.exit(
      Retry.run(
        (problem) =>
          Effect.gen(function* () {
            begun.push(yield* Clock.currentTimeMillis)
            problems.push(problem)
            return yield* outcomes[begun.length - 1] ?? outcomes.at(-1) ?? Effect.never
          }),
        {
          ...limits,
          observe: (event, note) => Effect.sync(() => events.push(note === undefined ? event : `${event}: ${note}`)),
        },
      ),
    ),
    { startImmediately: true },
  )
  const exit = Fiber.join(running)
  const value = Effect.flatten(exit)
  return { begun, problems, events, value, error: Effect.flip(value), running }
})

describe("Retry.run", () => {
  test("succeeds after two failures, with gaps of exactly 1 s and 2 s (LoopSmith 7)", function* () {
    const { begun, events, value } = yield* rehearse([Effect.fail(passing), Effect.fail(passing), Effect.succeed("ok")])
    yield* TestClock.adjust(999)
    assert.deepStrictEqual(begun, [0])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(begun, [0, 1_000])
    yield* TestClock.adjust(1_999)
    assert.deepStrictEqual(begun, [0, 1_000])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(begun, [0, 1_000, 3_000])
    assert.strictEqual(yield* value, "ok")
    const failed = ["failed: not now", "retryable: retrying in"]
    assert.deepStrictEqual(events, [
      "failed: not now",
      `${failed[1]} 1 s`,
      "backedOff",
      "failed: not now",
      `${failed[1]} 2 s`,
      "backedOff",
    ])
  })

  test("waits at most a minute between two attempts", function* () {
    const { begun, error } = yield* rehearse([Effect.fail(passing)], { attempts: 9 })
    yield* TestClock.adjust("1 hour")
    yield* error
    const gaps = begun.slice(1).map((at, index) => (at - (begun[index] ?? 0)) / 1_000)
    assert.deepStrictEqual(gaps, [1, 2, 4, 8, 16, 32, 60, 60])
  })

  test.each([
    [{ attempts: 0 }, "attempts"],
    [{ attempts: 1.5 }, "attempts"],
    [{ attempts: 101 }, "attempts"],
    [{ attempts: Number.NaN }, "attempts"],
    [{ timeout: 0 }, "timeout"],
    [{ timeout: -1 }, "timeout"],
    [{ timeout: "soon" as "1 second" }, "timeout"],
  ] as const)("dies at limits that allow no attempt: %j", function* ([limits, name]) {
    const exit = yield* Effect.exit(Retry.run(() => Effect.succeed("ok"), limits))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", `\`${name}\` must be`)
  })

  test("limits an infinite timeout to the longest delay of a timer", function* () {
    const { timeout } = yield* Retry.limits({ timeout: "Infinity" as "1 second" })
    assert.strictEqual(Duration.toMillis(timeout), 2 ** 31 - 1)
  })

  test("fails with the last cause and the number of attempts when all fail (LoopSmith 7)", function* () {
    const last = badAnswer("`score` is missing.")
    const { begun, error, events } = yield* rehearse([passing, passing, last].map((failure) => Effect.fail(failure)))
    yield* TestClock.adjust("1 minute")
    const { attempts, details, message, reason, retryable } = yield* error
    assert.deepStrictEqual(
      { attempts, details, reason, retryable },
      { attempts: 3, details: "`score` is missing.", reason: "bad-answer", retryable: true },
    )
    assert.include(message, "3 attempts")
    assert.include(message, "`score` is missing.")
    assert.lengthOf(begun, 3)
    assert.deepStrictEqual(events.slice(-2), ["failed: `score` is missing.", "notRetryable"])
  })

  test("fails immediately when a failure is not retryable (LoopSmith 7)", function* () {
    const { begun, error, events } = yield* rehearse([Effect.fail(lasting), Effect.succeed("too late")])
    const { attempts, details, retryable } = yield* error
    assert.deepStrictEqual({ attempts, details, retryable }, { attempts: 1, details: "never", retryable: false })
    assert.deepStrictEqual(begun, [0])
    assert.deepStrictEqual(events, ["failed: never", "notRetryable"])
  })

  test("interrupts an attempt at its timeout, waits for its finalizers, and retries (LoopSmith 8)", function* () {
    const ended: Array<number> = []
    const hung = Effect.onInterrupt(Effect.never, () =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sync(() => ended.push(now))),
    )
    const { begun, events, value } = yield* rehearse([hung, hung, Effect.succeed("ok")])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(ended, [120_000, 241_000])
    assert.deepStrictEqual(begun, [0, 121_000, 243_000])
    assert.strictEqual(events[0], "failed: The agent timed out after 2m.")
    assert.strictEqual(yield* value, "ok")
  })

  test("can be interrupted during an attempt and in a gap (LoopSmith 8)", function* () {
    let ended = 0
    const hung = Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended++))
    yield* Fiber.interrupt((yield* rehearse([hung])).running)
    assert.strictEqual(ended, 1)
    const { begun, running } = yield* rehearse([Effect.fail(passing)])
    yield* TestClock.adjust(500)
    yield* Fiber.interrupt(running)
    yield* TestClock.adjust("1 minute")
    assert.lengthOf(begun, 1)
  })

  test("passes the problem with the previous answer to the next attempt, and `undefined` after other failures", function* () {
    const outcomes = [Effect.fail(badAnswer("no JSON")), Effect.fail(passing), Effect.succeed("ok")]
    const { problems, value } = yield* rehearse(outcomes)
    yield* TestClock.adjust("1 minute")
    yield* value
    assert.deepStrictEqual(problems, [undefined, "no JSON", undefined])
  })

  test.each([
    [500, 1_000],
    [30_000, 30_000],
    [3_600_000, 120_000],
  ] as const)("waits for `retryAfter`, up to the timeout: %s ms give a gap of %d ms", function* ([retryAfter, gap]) {
    const { begun, value } = yield* rehearse([
      Effect.fail(ofMcpError(unavailable("rate-limited", retryAfter))),
      Effect.succeed("ok"),
    ])
    yield* TestClock.adjust("10 minutes")
    yield* value
    assert.deepStrictEqual(begun, [0, gap])
  })

  test("logs a warning for each failed attempt, and bounds messages and details", function* () {
    const long = new AttemptFailure({ ...lasting, reason: "agent", details: "x".repeat(100_000), retryable: false })
    const { error, events } = yield* rehearse([Effect.fail(long)])
    const { details, message } = yield* error
    assert.isAtMost(Buffer.byteLength(message), 1_024)
    assert.isAtMost(Buffer.byteLength(details), 4_096)
    assert.isAtMost(events[0]?.length ?? 0, 600)
    assert.include((yield* TestConsole.logLines).map(String).join(), "attempt 1 of 3 failed")
  })
})

describe("AttemptFailure", () => {
  it("has its details as its message", () => {
    assert.strictEqual(badAnswer("`score` is missing.").message, "`score` is missing.")
    assert.include(String(badAnswer("`score` is missing.")), "`score` is missing.")
  })

  const closed = new SessionClosed({ reason: "conversation-lost", message: "lost", delivery: "unknown" })
  const invalid = new InvalidRequest({ reason: "rejected-by-server", message: "no such model", delivery: "not-sent" })
  const cases: ReadonlyArray<readonly [McpError, boolean]> = [
    ...(["spawn-failed", "not-an-mcp-server", "unauthorized", "message-too-large"] as const).map(
      (reason) => [unavailable(reason), false] as const,
    ),
    ...(["connect-timeout", "unreachable", "server-exited", "connection-lost", "rate-limited", "stalled"] as const).map(
      (reason) => [unavailable(reason), true] as const,
    ),
    [closed, true],
    [invalid, false],
  ]
  for (const [error, retryable] of cases)
    it(`${error.reason} is ${retryable ? "retryable" : "not retryable"} and keeps its message (LoopSmith 7)`, () => {
      const failure = ofMcpError(error)
      assert.strictEqual(failure.retryable, retryable)
      assert.strictEqual(failure.details, error.message)
    })
})
