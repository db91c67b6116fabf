/** Threads and turns of Claude Code. */
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

describe("a thread of Claude Code", () => {
  test.live("has one process for all its turns, and interrupts none that completes", function* () {
    const { home, says } = yield* ClaudeCode.thread()
    yield* says("say one")
    assert.strictEqual(yield* says("earlier"), '["say one"]')
    assert.lengthOf(ClaudeCode.starts(home), 1)
    assert.notInclude(readdirSync(home), "interrupts")
  })

  test.live.each(["not/there", "a file"])(
    "is refused immediately in a directory that does not exist (%s), with its name",
    function* (name) {
      const { home, start } = yield* ClaudeCode.client()
      writeFileSync(join(home, "a file"), "")
      const cwd = join(home, name)
      const error = yield* Effect.flip(start({ cwd }))
      assert.strictEqual(error.reason, "agent-refused")
      assert.include(error.message, `\`cwd\` must be an existing directory; ${cwd} is not.`)
      assert.notInclude(readdirSync(home), "starts.jsonl")
      assert.notInclude(readdirSync(home), ".local")
    },
  )

  test.live("fails to continue in a directory that no longer exists, with its name", function* () {
    const { home, start, turn } = yield* ClaudeCode.client({ program: true })
    const cwd = join(home, "here")
    mkdirSync(cwd)
    const threadId = yield* start({ cwd })
    rmdirSync(cwd)
    const error = yield* Effect.flip(turn(threadId, { prompt: "say x" }, ClaudeCode.recorder()))
    assert.strictEqual(error.reason, "start-failed")
    assert.include(error.message, cwd)
  })
})

/** A listener that is behind after the first text. */
const slow = (caughtUp: Promise<void>): ClaudeCode.Recorder => {
  const recorder = ClaudeCode.recorder()
  return { ...recorder, room: () => (recorder.events.some(isText) ? caughtUp : undefined) }
}
const isText = ({ _tag }: ClaudeCode.Recorder["events"][number]) => _tag === "TextDelta"

describe("a turn of Claude Code", () => {
  test.live("emits text, message and usage of the agent itself, and everything else as `Raw`", function* () {
    const { threadId, turn } = yield* ClaudeCode.thread()
    const listener = ClaudeCode.recorder()
    const result = yield* turn(threadId, { prompt: "say hello" }, listener)
    const usage = { inputTokens: 11, outputTokens: 7 }
    assert.deepInclude(result, { content: "hello", isError: false, usage })
    assert.deepStrictEqual(
      listener.events.filter(({ _tag }) => _tag !== "Raw"),
      [
        { _tag: "TextDelta", text: "hello" },
        { _tag: "Message", text: "hello" },
        { _tag: "Usage", ...usage },
      ],
    )
    const raw = listener.events.flatMap((event) => (event._tag === "Raw" ? [event.method] : []))
    assert.deepStrictEqual(raw, ["claude/system", "claude/stream_event"])
  })

  test.live("emits each tool call with a title, and at most 16 Ki characters of its output", function* () {
    const { threadId, turn } = yield* ClaudeCode.thread()
    const listener = ClaudeCode.recorder()
    yield* turn(threadId, { prompt: "tools" }, listener)
    const [started, read, ran, missed] = listener.events.filter(({ _tag }) => _tag.startsWith("Tool"))
    assert.deepStrictEqual([started, read, missed] as ReadonlyArray<unknown>, [
      { _tag: "ToolStarted", toolId: "t1", name: "Bash", title: "cat big", input: { command: "cat big" } },
      { _tag: "ToolStarted", toolId: "t2", name: "Read", title: "Read /there", input: { file_path: "/there" } },
      { _tag: "ToolFinished", toolId: "t2", name: "Read", isError: true, output: "none" },
    ])
    assert(ran?._tag === "ToolFinished" && ran.output !== undefined)
    assert.strictEqual(ran.output, `${"ä".repeat(16 * 1024 - 1)}…`)
  })

  test.live("is paused while its listener is behind, and still ends when it is interrupted (promise 27)", function* () {
    const { start, turn } = yield* ClaudeCode.client()
    const catchUp = Promise.withResolvers<void>()
    const behind = slow(catchUp.promise)
    const lost = slow(new Promise(() => {}))
    const [first, second, other] = [yield* start({}), yield* start({}), yield* start({})]
    const held = yield* Effect.forkChild(turn(first, { prompt: "deltas 2000" }, behind), { startImmediately: true })
    const given = yield* Effect.forkChild(turn(second, { prompt: "deltas 2000" }, lost), { startImmediately: true })
    yield* Effect.all([behind.spoke, lost.spoke])
    yield* turn(other, { prompt: "deltas 2000" }, ClaudeCode.recorder())
    for (const { events } of [behind, lost]) assert.isBelow(events.length, 2_000)
    yield* Fiber.interrupt(given)
    catchUp.resolve()
    assert.strictEqual((yield* Fiber.join(held)).content, "all")
    assert.strictEqual(behind.events.filter(isText).length, 2_000)
  })

  test.live("ignores invalid lines and unknown messages", function* () {
    const { threadId, turn } = yield* ClaudeCode.thread()
    const listener = ClaudeCode.recorder()
    const { content } = yield* turn(threadId, { prompt: "garbage" }, listener)
    assert.strictEqual(content, "still here")
    const news = listener.events.find((event) => event._tag === "Raw" && event.method === "claude/news")
    assert.propertyVal(news && "params" in news ? news.params : {}, "about", "something")
  })

  test.live.each([
    ["nothing", {}, { content: "Claude Code did not send the prompt to its model.", isError: true }],
    ["nothing", { promptCommands: true }, { content: "", isError: false }],
    ["unanswered", {}, { content: "Claude Code ended the turn without an answer to its prompt.", isError: true }],
  ] as const)(
    "has failed without its model, and without an answer to its prompt: %s, %j",
    function* ([prompt, options, result]) {
      const { threadId, turn } = yield* ClaudeCode.thread({}, options)
      const { content, isError } = yield* turn(threadId, { prompt }, ClaudeCode.recorder())
      assert.deepStrictEqual({ content, isError }, result)
    },
  )

  test.live("is answered by a turn of the agent itself that accepts the prompt", function* () {
    const { says } = yield* ClaudeCode.thread()
    yield* says("unasked takes")
    assert.strictEqual(yield* says("say never"), "taken in")
  })

  test.live.each([
    { prompt: "unasked", env: {} },
    { prompt: "unasked later", env: {} },
    { prompt: "unasked", env: { FAKE_OLD: "1" } },
  ])("is separate from a turn of the agent itself (%j), whose approvals are declined", function* ({ env, prompt }) {
    const { home, threadId, turn } = yield* ClaudeCode.thread({ env })
    const first = yield* turn(threadId, { prompt }, ClaudeCode.recorder())
    const listener = ClaudeCode.recorder()
    const second = yield* turn(threadId, { prompt: "say asked again" }, listener)
    assert.deepStrictEqual([first.content, second.content], ["asked", "asked again"])
    assert.notInclude(JSON.stringify(listener.events), "unasked")
    assert.lengthOf(listener.asked, 0)
    assert.include(ClaudeCode.read(home, "unasked.json"), '"behavior":"deny"')
  })
})
