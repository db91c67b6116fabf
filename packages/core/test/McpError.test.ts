import { assert, describe, it } from "@effect/vitest"
import { McpError, McpResponse, McpResult, McpSessionId, SessionFailure } from "@zain/core"
import { test } from "@zain/testkit/Test"
import { Effect, Schema } from "effect"

const diagnostics = { exitCode: 42, signal: "SIGKILL", stderrTail: "fatal: boom", httpStatus: 503, retryAfter: 1_500 }
const fields = { message: "What happened, and what to do.", delivery: "unknown", diagnostics } as const

const four = [
  new McpError.ConnectionUnavailable({ ...fields, reason: "server-exited" }),
  new McpError.SessionClosed({ ...fields, reason: "conversation-lost" }),
  new McpError.SessionNotFound({ ...fields, reason: "unknown-session" }),
  new McpError.InvalidRequest({ ...fields, reason: "rejected-by-server" }),
]

const encode = Schema.encodeSync(McpError.McpError)
const decode = Schema.decodeUnknownSync(McpError.McpError)
const acrossTheWire = (error: McpError) => decode(JSON.parse(JSON.stringify(encode(error))))

describe("McpError (port.errors)", () => {
  it.each(four)("$_tag is encoded and decoded unchanged, with its diagnostics", (error) => {
    const received = acrossTheWire(error)
    assert.deepStrictEqual({ ...received }, { ...error })
    assert.deepStrictEqual(
      [received._tag, received.message, received.reason, received.delivery, received.diagnostics],
      [error._tag, fields.message, error.reason, "unknown", diagnostics],
    )
    assert.strictEqual(received.constructor, error.constructor)
    assert.notProperty(JSON.parse(JSON.stringify(encode(error))), "cause")
  })

  it("an encoded error keeps its `cause` as far as possible, and no cause fails the encoding", () => {
    const loop: Record<string, unknown> = { big: 1n }
    loop["loop"] = loop
    for (const cause of [new Error("below"), "text", { code: "ENOENT" }, loop, Symbol("below"), () => 1]) {
      const received = acrossTheWire(new McpError.ConnectionUnavailable({ ...fields, reason: "stalled", cause }))
      assert.strictEqual(received.message, fields.message)
    }
    const received = acrossTheWire(
      new McpError.ConnectionUnavailable({ ...fields, reason: "stalled", cause: new Error("below") }),
    )
    assert.strictEqual((received.cause as Error).message, "below")
  })

  it("an error with an unknown reason, delivery or tag is not decoded", () => {
    const good = JSON.parse(JSON.stringify(encode(four[0] as McpError)))
    assert.strictEqual(decode(good)._tag, "ConnectionUnavailable")
    for (const bad of [{ reason: "bad-luck" }, { delivery: "maybe" }, { _tag: "Unlucky" }, { message: 7 }]) {
      assert.throws(() => decode({ ...good, ...bad }))
    }
  })
})

describe("isMcpError (docs/concepts/errors.md)", () => {
  it.each(four)("accepts $_tag, also from another copy of the package", (error) => {
    assert.isTrue(McpError.isMcpError(error))
    assert.isTrue(McpError.isMcpError({ ...error }))
  })

  it.each([
    undefined,
    null,
    "SessionClosed",
    new Error("SessionClosed"),
    {},
    { _tag: "Closed" },
    { _tag: ["SessionClosed"] },
    { _tag: Object.create(null) },
    { _tag: undefined },
    { tag: "SessionClosed" },
  ])("rejects %o and does not throw", (value) => {
    assert.isFalse(McpError.isMcpError(value))
  })
})

describe("clip (promise 6)", () => {
  it("returns a short message unchanged, and marks a cut with `…`", () => {
    assert.strictEqual(McpError.clip("x".repeat(1_024)), "x".repeat(1_024))
    assert.strictEqual(McpError.clip("x".repeat(1_025)), `${"x".repeat(1_021)}…`)
    assert.strictEqual(McpError.clip("あ".repeat(400)), `${"あ".repeat(340)}…`)
    assert.isTrue(McpError.clip("😀".repeat(400)).isWellFormed())
    assert.strictEqual(McpError.clip("abcdef", 5), "ab…")
  })
})

describe("the errors of a session's state (rule-1.unknown; rule-1.closed)", () => {
  it("have a bounded message for an id of any length", () => {
    const long = "x".repeat(1_000_000) as McpSessionId
    assert.isAtMost(SessionFailure.sessionNotFound(long).message.length, McpError.maxErrorMessageBytes)
  })
})

describe("McpResponse.orFail (port.is-error)", () => {
  const response = (isError: boolean, content = "the agent's words"): McpResponse => ({
    provider: "codex",
    sessionId: Effect.runSync(McpSessionId.make),
    content,
    isError,
  })

  test("fails with server-error for isError, with the agent's text cut to the limit of a message", function* () {
    const error = yield* Effect.flip(McpResponse.orFail(response(true)))
    assert.deepStrictEqual(
      [error._tag, error.reason, error.delivery],
      ["ConnectionUnavailable", "server-error", "unknown"],
    )
    assert.match(error.message, /codex.*the agent's words/)
    const long = yield* Effect.flip(McpResponse.orFail(response(true, "x".repeat(5_000))))
    assert.strictEqual(Buffer.byteLength(long.message), McpError.maxErrorMessageBytes)
  })

  test("names the remedy before the agent's text", function* () {
    const causes = [
      [{ _tag: "NotLoggedIn", command: "codex login" }, /^Log in with `codex login`\. codex reports /],
      [
        { _tag: "RateLimited", window: "primary", retryAfter: 90_000 },
        /^Rate limit exceeded \(primary\)\. Retry in 1m 30s\. codex /,
      ],
      [{ _tag: "RateLimited" }, /^Rate limit exceeded\. Retry later\. codex /],
      [{ _tag: "MissingVariable", variable: "KEY" }, /^Pass the variable `KEY` in `env` of `local\(\)`\. codex /],
    ] as const
    for (const [cause, message] of causes) {
      const error = yield* Effect.flip(McpResponse.orFail({ ...response(true), cause, threadId: "t-1" }))
      assert.match(error.message, message)
      assert.deepStrictEqual([error.cause, error.threadId], [cause, "t-1"])
    }
  })

  test("is thrown by McpResponse.getOrThrow, which throws a failure unchanged and returns an answer", function* () {
    const answer = response(false)
    assert.strictEqual(McpResponse.getOrThrow(McpResult.succeed(answer)), answer)
    const wrong = McpError.invalidConfig("wrong")
    const failed = { ...response(true), cause: { _tag: "NotLoggedIn", command: "codex login" } as const }
    const thrown = (result: McpResult<McpResponse>) =>
      Effect.flip(Effect.try({ try: () => McpResponse.getOrThrow(result), catch: (error) => error }))
    assert.strictEqual(yield* thrown(McpResult.fail(wrong)), wrong)
    const error = yield* thrown(McpResult.succeed(failed))
    assert.deepEqual(error, yield* Effect.flip(McpResponse.orFail(failed)))
  })
})
