import { assert, describe, it } from "@effect/vitest"
import { McpRequestParser } from "@zain/core"
import type { Parsed } from "@zain/core/McpRequest"
import { Duration, Result } from "effect"
import fc from "fast-check"

const parsed = (input: unknown): Parsed => Result.getOrThrow(McpRequestParser.parse(input))

const refused = (input: unknown) => {
  const result = McpRequestParser.parse(input)
  if (Result.isSuccess(result)) return assert.fail("it was accepted")
  assert.strictEqual(result.failure._tag, "InvalidRequest")
  assert.strictEqual(result.failure.delivery, "not-sent")
  return result.failure
}

describe("the content of a request", () => {
  it("is accepted unchanged with any length (seed 5.2, 5.3)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (content) => {
        assert.deepStrictEqual(parsed(content), { content })
      }),
    )
    assert.strictEqual(parsed("x".repeat(5_000_000)).content.length, 5_000_000)
  })
})

describe("a request that is neither a prompt nor an object with content", () => {
  it.each([
    undefined,
    null,
    7,
    7n,
    true,
    Symbol("prompt"),
    () => "prompt",
    {},
    [],
    ["prompt"],
    new Map([["content", "prompt"]]),
    { content: undefined },
    { content: null },
    { content: 7 },
    { content: ["prompt"] },
    { content: { toString: () => "prompt" } },
    new String("prompt"),
  ])("fails with invalid-config and does not throw: %o (docs/concepts/threads-and-turns.md#turns)", (input) => {
    const { message, reason } = refused(input)
    assert.strictEqual(reason, "invalid-config")
    assert.match(message, /content/)
  })
})

describe("the deadline of a request (port.deadline)", () => {
  const within = (deadline: unknown) => parsed({ content: "go", deadline })

  it.each([
    ["5 minutes", 300_000],
    [250, 250],
    [0.5, 0.5],
    [2_000_000n, 2],
    [{ seconds: 2 }, 2_000],
    [[1, 500_000_000], 1_500],
    [Duration.hours(1), 3_600_000],
    ["Infinity", Number.POSITIVE_INFINITY],
  ] as const)("accepts the duration %o", (deadline, millis) => {
    const { deadline: read } = within(deadline)
    assert.isTrue(Duration.isDuration(read))
    assert.strictEqual(Duration.toMillis(read as Duration.Duration), millis)
  })

  it.each([
    0,
    -1,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    "0 seconds",
    "soon",
    "",
    "-5 minutes",
    null,
    true,
    {},
    [],
    [1],
    Symbol("soon"),
    () => 5,
    Duration.zero,
    Duration.negativeInfinity,
  ])("fails with invalid-config for %o, and the message names it", (deadline) => {
    const { message, reason } = refused({ content: "go", deadline })
    assert.strictEqual(reason, "invalid-config")
    assert.match(message, /^`deadline`/)
  })
})

describe("a parsed request", () => {
  it("parses to itself (docs/concepts/threads-and-turns.md#turns)", () => {
    const once = parsed({ content: "go", deadline: "5 minutes", other: 1 })
    assert.deepStrictEqual(parsed(once), once)
    assert.deepStrictEqual(Object.keys(once), ["content", "deadline"])
  })
})
