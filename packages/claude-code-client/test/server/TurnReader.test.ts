import { assert, describe, it } from "vitest"
import * as TurnReader from "../../src/server/TurnReader.ts"

const success = { type: "result", subtype: "success", is_error: false, num_turns: 1, terminal_reason: "completed" }
const words = { ...success, result: "some words" }
const diagnostic = "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use"

/** Recorded from Claude Code 2.1.329 with these models, hooks and decisions. */
const ends = [
  { what: "answers", message: words, is: [false, "some words"] },
  { what: "answers twice without text", message: { ...success, num_turns: 2, result: "" }, is: [false, ""] },
  {
    what: "is stopped by a Stop hook after its answer",
    message: { ...words, terminal_reason: "stop_hook_prevented" },
    is: [false, "some words"],
  },
  {
    what: "is cut off during its answer, which is a success without an error",
    message: { ...words, terminal_reason: "aborted_streaming", stop_reason: null },
    is: [true, "The turn was interrupted.\n\nsome words"],
  },
  {
    what: "is cut off between two tools, which is a success without an error",
    message: { ...success, terminal_reason: "aborted_tools", result: "" },
    is: [true, "The turn was interrupted."],
  },
  {
    what: "is interrupted by a decision",
    message: {
      ...{ type: "result", subtype: "error_during_execution", is_error: true, num_turns: 3 },
      ...{ terminal_reason: "aborted_tools", errors: [diagnostic] },
    },
    is: [true, "The turn was interrupted."],
  },
  {
    what: "is stopped by a hook before a tool",
    message: { ...words, terminal_reason: "hook_stopped" },
    is: [true, "The turn failed: hook_stopped.\n\nsome words"],
  },
  {
    what: "reaches max_tokens, also when it continues",
    message: {
      ...success,
      ...{ is_error: true, num_turns: 4, terminal_reason: "api_error" },
      result: "API Error: 128000",
    },
    is: [true, "API Error: 128000"],
  },
  {
    what: "refuses",
    message: {
      ...success,
      ...{ is_error: true, terminal_reason: "api_error", stop_reason: "refusal" },
      result: "Flagged",
    },
    is: [true, "Flagged"],
  },
  {
    what: "reports a failure without text",
    message: { ...words, is_error: true },
    is: [true, "some words"],
  },
  {
    what: "fails without an error",
    message: { ...success, is_error: true, result: "", terminal_reason: "model_error" },
    is: [true, "The turn failed: model_error."],
  },
  {
    what: "is not used because a hook stops the prompt",
    message: { type: "result", subtype: "success", is_error: false, num_turns: 0, result: "blocked by hook" },
    is: [true, "blocked by hook"],
  },
] as const

const limit = (status: string, utilization: number) => ({
  type: "rate_limit_event",
  rate_limit_info: {
    ...{ status, resetsAt: 2_000, rateLimitType: "five_hour" },
    unifiedWindows: { five_hour: { utilization, resetsAt: 2_000 }, seven_day: { utilization: 0.5, resetsAt: 9_000 } },
  },
})

describe("a limit of the account", () => {
  it("has an event when it changes, and not with each response", () => {
    const reader = TurnReader.make()
    const events = [limit("allowed", 0.1), limit("allowed", 0.1), limit("allowed", 0.2)].map(reader.read)
    const week = { _tag: "RateLimit", window: "seven_day", used: 50, resetsAt: 9_000_000 }
    const day = { _tag: "RateLimit", window: "five_hour", resetsAt: 2_000_000 }
    assert.deepStrictEqual(events, [[{ ...day, used: 10 }, week], [], [{ ...day, used: 20 }]] as never)
  })

  it("is in the result of a turn that it has ended, and of no other", () => {
    const reader = TurnReader.make()
    const failed = { ...success, is_error: true, terminal_reason: "api_error", result: "You've hit your 5-hour limit" }
    const limitOf = (message: object) => reader.result(message as never, false).limit
    reader.read(limit("rejected", 1))
    assert.deepStrictEqual(limitOf({ ...failed, api_error_status: 429 }), { window: "five_hour", resetsAt: 2_000 })
    assert.isUndefined(limitOf({ ...failed, api_error_status: 500 }))
    assert.isUndefined(limitOf(words))
    reader.read(limit("allowed", 1))
    assert.deepStrictEqual(limitOf({ ...failed, api_error_status: 429 }), {})
  })
})

describe("the result of a turn of Claude Code", () => {
  it.each(ends)("has the cause when a model $what", ({ is, message }) => {
    const { content, isError } = TurnReader.make().result(message, false)
    assert.deepStrictEqual([isError, content], [...is])
  })

  it("is an answer when Claude Code needs no model, and has no `terminal_reason`", () => {
    const command = { type: "result", subtype: "success", is_error: false, num_turns: 0, result: "## Context Usage" }
    assert.deepStrictEqual(TurnReader.make().result(command, true), {
      ...{ content: "## Context Usage", isError: false, stopReason: "completed" },
    })
  })
})

describe("a turn of Claude Code with several results and messages", () => {
  const say = (text: string, parent_tool_use_id: string | null = null) => ({
    ...{ type: "assistant", message: { content: [{ type: "text", text }] }, parent_tool_use_id },
  })
  const call = { type: "assistant", message: { content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }] } }

  it("has its last text as the answer when no text follows a tool, but not that of a sub-agent", () => {
    const { read, result } = TurnReader.make()
    for (const message of [say("I look."), call, say("I am another.", "t")]) read(message)
    assert.strictEqual(result({ ...success, result: "" }, false).content, "I look.")
    assert.strictEqual(result({ ...success, result: "Seen." }, false).content, "Seen.")
  })

  it("has the tokens of all of them, with those of sub-agents", () => {
    const { read, result } = TurnReader.make()
    const since = (inputTokens: number) => ({
      ...{ ...words, usage: { input_tokens: 1, output_tokens: 1 } },
      model_usage_since_last_result: {
        large: { inputTokens, cacheReadInputTokens: 2, cacheCreationInputTokens: 3, outputTokens: 4 },
        small: { inputTokens: 100, outputTokens: 10 },
      },
    })
    read(since(1_000))
    const usage = { inputTokens: 3_210, outputTokens: 28, cachedInputTokens: 4, cacheWriteInputTokens: 6 }
    assert.deepStrictEqual(read(since(2_000)), [{ _tag: "Usage", ...usage }])
    assert.deepStrictEqual(result(since(2_000), false).usage, usage)
  })
})

describe("the end of a turn of Claude Code (docs/concepts/threads-and-turns.md#what-a-turn-reports-at-its-end)", () => {
  const result = (fields: object) => {
    const message = { type: "result", subtype: "success", is_error: false, num_turns: 1, result: "Done.", ...fields }
    const reader = TurnReader.make()
    const event = (fields: object) => reader.read({ type: "stream_event", parent_tool_use_id: null, event: fields })
    const usage = { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 30 }
    event({ type: "message_start", message: { model: "large", usage } })
    event({ type: "message_delta", usage: { output_tokens: 5 } })
    reader.read(message)
    return reader.result(message, false)
  }
  const size = { modelUsage: { small: { contextWindow: 1 }, large: { contextWindow: 200_000 } } }

  it.each([
    ["completed", {}],
    ["no-text", { result: "" }],
    ["refused", { is_error: true, stop_reason: "refusal" }],
    ["max-tokens", { is_error: true, stop_reason: "max_tokens" }],
    ["max-turns", { is_error: true, subtype: "error_max_turns", terminal_reason: "max_turns" }],
    ["interrupted", { is_error: true, terminal_reason: "aborted_tools" }],
    [undefined, { is_error: true, result: "API Error: 500" }],
  ])("is %s", (stopReason, fields) => {
    assert.strictEqual(result(fields).stopReason, stopReason)
  })

  it("has the tokens of the last request and its answer as its context, of the size of its model", () => {
    assert.deepStrictEqual(result(size).context, { used: 65, size: 200_000 })
    assert.isUndefined(result({}).context)
  })

  it("has the cost of its turn alone, of all models, and none where one is unknown", () => {
    const since = (...costs: ReadonlyArray<unknown>) =>
      Object.fromEntries(costs.map((costUSD, at) => [`model-${at}`, { inputTokens: 1, outputTokens: 1, costUSD }]))
    const costOf = (...costs: ReadonlyArray<unknown>) =>
      result({ total_cost_usd: 9, model_usage_since_last_result: since(...costs) }).cost
    assert.strictEqual(costOf(0.25, 0.5), 0.75)
    assert.isUndefined(costOf(0.25, undefined))
    assert.isUndefined(costOf())
  })
})

describe("a retry of Claude Code to reach its model", () => {
  const read = (fields: object) => TurnReader.make().read({ type: "system", subtype: "api_retry", ...fields })

  it("is a `Heartbeat` with its number, the maximum, the delay and the cause", () => {
    const fields = { attempt: 2, max_retries: 10, retry_delay_ms: 1034.6, error_status: 529, error: "overloaded" }
    const retrying = "attempt 2 of 10 in 1s: overloaded (HTTP status 529)"
    assert.deepStrictEqual(read(fields), [{ _tag: "Heartbeat", retrying }])
    const unknown = { attempt: 1, error_status: null, error: "unknown" }
    assert.deepStrictEqual(read(unknown), [{ _tag: "Heartbeat", retrying: "attempt 1: unknown" }])
  })

  it("is reported with a limit and without invisible characters", () => {
    const [event] = read({ attempt: {}, error: `\u001b[2J${"x".repeat(10_000)}` })
    const { retrying = "" } = event?._tag === "Heartbeat" ? event : {}
    assert.match(retrying, /^attempt again: \\u\{1b\}\[2Jx+…$/)
    assert.isAtMost(retrying.length, 300)
  })
})
