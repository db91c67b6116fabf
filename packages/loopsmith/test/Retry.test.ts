import { assert, describe, it } from "@effect/vitest"
import { ConnectionUnavailable, InvalidRequest, type McpError, SessionClosed } from "@zain/core/McpError"
import { AttemptFailure, badAnswer, ofMcpError } from "@zain/loopsmith/AttemptFailure"
import * as Retry from "@zain/loopsmith/Retry"
import { Cause, Clock, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { test } from "../../core/test/Test.ts"

const passing = new AttemptFailure({ reason: "agent", details: "not now", retryable: true })
const lasting = new AttemptFailure({ reason: "agent", details: "never", retryable: false })

const unavailable = (reason: ConnectionUnavailable["reason"], retryAfter?: number) =>
  new ConnectionUnavailable({
    reason,
    message: `it is ${reason}`,
    delivery: "unknown",
    ...(retryAfter === undefined ? {} : { diagnostics: { retryAfter } }),
  })

/** Runs attempts with the outcomes given, the last of which repeats, and says when each began, and all that was told. */
const rehearse = Effect.fnUntraced(function* (
  outcomes: ReadonlyArray<Effect.Effect<string, AttemptFailure>>,
  limits: Retry.Limits = {},
) {
  const begun: Array<number> = []
  const problems: Array<string | undefined> = []
  const told: Array<string> = []
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
          observe: (event, note) => Effect.sync(() => told.push(note === undefined ? event : `${event}: ${note}`)),
        },
      ),
    ),
    { startImmediately: true },
  )
  const exit = Fiber.join(running)
  const value = Effect.flatten(exit)
  return { begun, problems, told, value, error: Effect.flip(value), running }
})

describe("attempts", () => {
  test("after two failures succeed, with gaps of exactly 1 s and 2 s (LoopSmith 7)", function* () {
    const { begun, told, value } = yield* rehearse([Effect.fail(passing), Effect.fail(passing), Effect.succeed("ok")])
    yield* TestClock.adjust(999)
    assert.deepStrictEqual(begun, [0])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(begun, [0, 1_000])
    yield* TestClock.adjust(1_999)
    assert.deepStrictEqual(begun, [0, 1_000])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(begun, [0, 1_000, 3_000])
    assert.strictEqual(yield* value, "ok")
    const failed = ["failed: not now", "retryable: again in"]
    assert.deepStrictEqual(told, [
      "failed: not now",
      `${failed[1]} 1 s`,
      "backedOff",
      "failed: not now",
      `${failed[1]} 2 s`,
      "backedOff",
    ])
  })

  test("are never further apart than a minute", function* () {
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
  ] as const)("with limits that leave none are a defect: %j", function* ([limits, name]) {
    const exit = yield* Effect.exit(Retry.run(() => Effect.succeed("ok"), limits))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", `\`${name}\` must be`)
  })

  test("may take as long as a timer can wait, where no limit is wanted", function* () {
    const { timeout } = yield* Retry.limits({ timeout: "Infinity" as "1 second" })
    assert.strictEqual(Duration.toMillis(timeout), 2 ** 31 - 1)
  })

  test("that all fail, fail with the last cause and their number (LoopSmith 7)", function* () {
    const last = badAnswer("`score` is missing.")
    const { begun, error, told } = yield* rehearse([passing, passing, last].map((failure) => Effect.fail(failure)))
    yield* TestClock.adjust("1 minute")
    const { attempts, details, message, reason, retryable } = yield* error
    assert.deepStrictEqual(
      { attempts, details, reason, retryable },
      { attempts: 3, details: "`score` is missing.", reason: "bad-answer", retryable: true },
    )
    assert.include(message, "3 attempts")
    assert.include(message, "`score` is missing.")
    assert.lengthOf(begun, 3)
    assert.deepStrictEqual(told.slice(-2), ["failed: `score` is missing.", "notRetryable"])
  })

  test("end at once with a failure that another attempt would meet again (LoopSmith 7)", function* () {
    const { begun, error, told } = yield* rehearse([Effect.fail(lasting), Effect.succeed("too late")])
    const { attempts, details, retryable } = yield* error
    assert.deepStrictEqual({ attempts, details, retryable }, { attempts: 1, details: "never", retryable: false })
    assert.deepStrictEqual(begun, [0])
    assert.deepStrictEqual(told, ["failed: never", "notRetryable"])
  })

  test("are interrupted at their limit, wait for the end of what they held, and go on (LoopSmith 8)", function* () {
    const ended: Array<number> = []
    const hung = Effect.onInterrupt(Effect.never, () =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sync(() => ended.push(now))),
    )
    const { begun, told, value } = yield* rehearse([hung, hung, Effect.succeed("ok")])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(ended, [120_000, 241_000])
    assert.deepStrictEqual(begun, [0, 121_000, 243_000])
    assert.strictEqual(told[0], "failed: The agent timed out after 2m.")
    assert.strictEqual(yield* value, "ok")
  })

  test("end when nobody wants them any more, in the middle and in a gap (LoopSmith 8)", function* () {
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

  test("are told what was wrong with the answer before, and nothing where there was no answer", function* () {
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
  ] as const)("grant the server %s: it asks for %d ms, the gap is %d ms", function* ([retryAfter, gap]) {
    const { begun, value } = yield* rehearse([
      Effect.fail(ofMcpError(unavailable("rate-limited", retryAfter))),
      Effect.succeed("ok"),
    ])
    yield* TestClock.adjust("10 minutes")
    yield* value
    assert.deepStrictEqual(begun, [0, gap])
  })

  test("leave a warning for each that fails, and say no more of it than fits", function* () {
    const long = new AttemptFailure({ ...lasting, reason: "agent", details: "x".repeat(100_000), retryable: false })
    const { error, told } = yield* rehearse([Effect.fail(long)])
    const { details, message } = yield* error
    assert.isAtMost(Buffer.byteLength(message), 1_024)
    assert.isAtMost(Buffer.byteLength(details), 4_096)
    assert.isAtMost(told[0]?.length ?? 0, 600)
    assert.include((yield* TestConsole.logLines).map(String).join(), "attempt 1 of 3 failed")
  })
})

describe("a failure of the port", () => {
  it("says its cause as its message, for whoever logs it", () => {
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
    it(`${error.reason} is ${retryable ? "worth another attempt" : "met again"}, and its cause is kept (LoopSmith 7)`, () => {
      const failure = ofMcpError(error)
      assert.strictEqual(failure.retryable, retryable)
      assert.strictEqual(failure.details, error.message)
    })
})
