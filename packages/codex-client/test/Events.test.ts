/** Events of Codex's own MCP server about tools and tokens. */
import { assert, describe } from "@effect/vitest"
import type { McpEvent } from "@zain/core/McpEvents"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber, Stream } from "effect"
import { answered } from "./OwnWire.ts"
import { session } from "./Session.ts"

const content = ({ sequence: _, sessionId: __, turn: ___, ...event }: McpEvent) => event

/** The events of one turn, without its start and its end. */
const seen = Effect.fnUntraced(function* (messages: ReadonlyArray<unknown>) {
  const { adapter, id, start } = yield* session()
  const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
  const { call, fiber } = yield* start("go")
  for (const message of messages) call.event(message)
  call.answer(answered("done"))
  yield* Fiber.join(fiber)
  yield* adapter.closeSession(id)
  return (yield* Fiber.join(reader)).slice(1, -1).map(content)
})

const count = (total: number, last: number) => ({
  type: "token_count",
  info: {
    total_token_usage: { input_tokens: total, output_tokens: total / 10 },
    last_token_usage: { input_tokens: last, output_tokens: last / 10 },
  },
})

describe("the events of Codex (docs/concepts/events.md)", () => {
  test("are `TextDelta` and `Message`, and `Raw` for everything else, all before the result (rule 7)", function* () {
    const odd = { type: "agent_message", message: { odd: true } }
    const raw = (msg: unknown) => ({ _tag: "Raw", method: "codex/event", msg })
    const events = yield* seen([
      { type: "task_started" },
      { type: "agent_message_content_delta", delta: "hel" },
      { type: "agent_message_content_delta", delta: "lo" },
      { type: "agent_message", message: "hello" },
      odd,
      "odd",
    ])
    const said = events.map((event) => {
      if (event._tag !== "Raw") return event
      const { params, ...rest } = event
      return { ...rest, msg: (params as { readonly msg: unknown }).msg }
    })
    assert.deepStrictEqual(said, [
      raw({ type: "task_started" }),
      { _tag: "TextDelta", text: "hel" },
      { _tag: "TextDelta", text: "lo" },
      { _tag: "Message", text: "hello" },
      raw(odd),
      raw("odd"),
    ] as never)
  })

  test("are `ToolStarted` and `ToolFinished` for commands, patches and tools of MCP servers", function* () {
    const invocation = { server: "docs", tool: "find", arguments: {} }
    const command = ["/bin/bash", "-lc", "ls -l"]
    const events = yield* seen([
      { type: "exec_command_begin", call_id: "1", command, cwd: "/srv" },
      { type: "exec_command_end", call_id: "1", command, exit_code: 2, aggregated_output: "none\n", stdout: "" },
      { type: "patch_apply_begin", call_id: "2", changes: { "/srv/a": {}, "/srv/b": {} } },
      { type: "patch_apply_end", call_id: "2", success: true, stdout: "Success." },
      { type: "mcp_tool_call_begin", call_id: "3", invocation },
      { type: "mcp_tool_call_end", call_id: "3", invocation, result: { Ok: { content: [], isError: false } } },
      { type: "mcp_tool_call_end", call_id: "4", invocation, result: { Err: "not there" } },
    ])
    assert.deepStrictEqual(events, [
      { _tag: "ToolStarted", toolId: "1", name: "exec_command", title: "ls -l" },
      { _tag: "ToolFinished", toolId: "1", name: "exec_command", isError: true, output: "none\n" },
      { _tag: "ToolStarted", toolId: "2", name: "apply_patch", title: "/srv/a, /srv/b" },
      { _tag: "ToolFinished", toolId: "2", name: "apply_patch", isError: false, output: "Success." },
      { _tag: "ToolStarted", toolId: "3", name: "docs.find", title: "docs.find" },
      { _tag: "ToolFinished", toolId: "3", name: "docs.find", isError: false },
      { _tag: "ToolFinished", toolId: "4", name: "docs.find", isError: true },
    ])
  })

  test("have a tool's output cut between characters", function* () {
    const [event] = yield* seen([
      { type: "exec_command_end", call_id: "1", exit_code: 0, aggregated_output: `a${"😀".repeat(20_000)}` },
    ])
    const output = event?._tag === "ToolFinished" ? (event.output ?? "") : ""
    assert.isAbove(output.length, 10_000)
    assert.isAtMost(output.length, 16_384)
    assert.isTrue(output.isWellFormed())
  })

  test("have the tokens of the turn so far, not of the thread or of the last request", function* () {
    const usage = (input: number) => ({ _tag: "Usage", inputTokens: input, outputTokens: input / 10 })
    const { adapter, id, start } = yield* session()
    const reader = yield* Effect.forkChild(Stream.runCollect(adapter.events(id)), { startImmediately: true })
    const turns = [
      [count(100, 100), count(250, 150)],
      [count(450, 200), count(500, 50)],
    ]
    for (const [at, messages] of turns.entries()) {
      const { call, fiber } = yield* start("go")
      for (const message of messages) call.event(message, `turn-${at}`)
      call.answer(answered("done"))
      yield* Fiber.join(fiber)
    }
    yield* adapter.closeSession(id)
    const usages = (yield* Fiber.join(reader)).flatMap((event) => (event._tag === "Usage" ? [content(event)] : []))
    assert.deepStrictEqual(usages, [usage(100), usage(250), usage(200), usage(250)] as never)
  })

  test("have no negative tokens: a total that decreases restarts the count", function* () {
    const usage = (input: number) => ({ _tag: "Usage", inputTokens: input, outputTokens: input / 10 })
    const raw = { _tag: "Raw" }
    const inShort = (event: object) => ("inputTokens" in event ? event : { _tag: "_tag" in event && event._tag })
    const messages = [count(100, 100), count(300, 200), count(0, 0), count(50, 50), count(70, 20)]
    const events = (yield* seen(messages)).map(inShort)
    assert.deepStrictEqual(events, [usage(100), usage(300), raw, usage(50), usage(70)])
    assert.deepStrictEqual((yield* seen([count(10, 20), count(30, 20)])).map(inShort), [raw, usage(20)])
  })

  test.each([
    [{ type: "exec_command_begin", command: ["ls"] }],
    [{ type: "exec_command_end", call_id: 7 }],
    [{ type: "token_count", info: null }],
    [{ type: "token_count", info: { total_token_usage: { input_tokens: "many" } } }],
    [{ type: "toString" }],
    [{ type: "__proto__" }],
    [{ type: 7 }],
    [["exec_command_begin"]],
  ] as const)("are `Raw` for the unreadable message %j (promise 24)", function* ([message]) {
    const [event] = yield* seen([message])
    assert.deepInclude(event, { _tag: "Raw", method: "codex/event" })
  })
})
