/** What a turn of Claude Code is: a prompt, what the agent does with it, and what came of it. */
import { mkdirSync, readdirSync, realpathSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { test } from "../../../core/test/Test.ts"
import * as ClaudeCode from "./ClaudeCode.ts"

const fixed = [
  "-p",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
  "--setting-sources=user",
]

describe("a thread of Claude Code", () => {
  test.live("works in its own directory, with arguments that hold no text of its options", function* () {
    const { home, start, turn } = yield* ClaudeCode.client()
    const threadId = yield* start({ cwd: home, permissionMode: "plan", effort: "high", ...ClaudeCode.texts })
    yield* turn(threadId, "say hello", ClaudeCode.recorder())
    const [started, ...more] = ClaudeCode.starts(home)
    assert.deepStrictEqual(started?.args, [
      ...fixed,
      `--session-id=${threadId}`,
      "--permission-mode=plan",
      "--effort=high",
      "--await-initialize",
      "--initialize-fields=settings",
    ])
    assert.strictEqual(started?.cwd, realpathSync(home))
    assert.lengthOf(more, 0)
  })

  test.live("is started with nothing that was not asked for, and reads no settings of the project", function* () {
    const { home, says, threadId } = yield* ClaudeCode.thread()
    yield* says("say hello")
    const args = [...fixed, `--session-id=${threadId}`, "--await-initialize", "--initialize-fields=settings"]
    assert.deepStrictEqual(ClaudeCode.starts(home)[0]?.args, args)
  })

  test.live("has one process for all its turns, and interrupts none that ends by itself", function* () {
    const { home, says } = yield* ClaudeCode.thread()
    yield* says("say one")
    assert.strictEqual(yield* says("earlier"), '["say one"]')
    assert.lengthOf(ClaudeCode.starts(home), 1)
    assert.notInclude(readdirSync(home), "interrupts")
  })

  test.live.each(["not/there", "a file"])(
    "is refused at once in a directory that is none (%s), which it names",
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

  test.live("cannot go on in a directory that is gone, and says which", function* () {
    const { home, start, turn } = yield* ClaudeCode.client()
    const cwd = join(home, "here")
    mkdirSync(cwd)
    const threadId = yield* start({ cwd })
    rmdirSync(cwd)
    const error = yield* Effect.flip(turn(threadId, "say x", ClaudeCode.recorder()))
    assert.strictEqual(error.reason, "start-failed")
    assert.include(error.message, cwd)
  })
})

/** A listener that is behind from the first text on. */
const slow = (caughtUp: Promise<void>): ClaudeCode.Recorder => {
  const recorder = ClaudeCode.recorder()
  return { ...recorder, room: () => (recorder.events.some(isText) ? caughtUp : undefined) }
}
const isText = ({ _tag }: ClaudeCode.Recorder["events"][number]) => _tag === "TextDelta"

describe("a turn of Claude Code", () => {
  test.live("tells text, message and usage of the agent itself, and the rest as it came", function* () {
    const { threadId, turn } = yield* ClaudeCode.thread()
    const listener = ClaudeCode.recorder()
    const result = yield* turn(threadId, "say hello", listener)
    const usage = { inputTokens: 7, outputTokens: 5 }
    assert.deepStrictEqual(result, { content: "hello", isError: false, usage })
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

  test.live("tells each use of a tool, for people, with no more of its output than 16 Ki characters", function* () {
    const { threadId, turn } = yield* ClaudeCode.thread()
    const listener = ClaudeCode.recorder()
    yield* turn(threadId, "tools", listener)
    const [started, read, ran, missed] = listener.events.filter(({ _tag }) => _tag.startsWith("Tool"))
    assert.deepStrictEqual([started, read, missed] as ReadonlyArray<unknown>, [
      { _tag: "ToolStarted", toolId: "t1", name: "Bash", title: "cat big", input: { command: "cat big" } },
      { _tag: "ToolStarted", toolId: "t2", name: "Read", title: "Read /there", input: { file_path: "/there" } },
      { _tag: "ToolFinished", toolId: "t2", name: "Read", isError: true, output: "none" },
    ])
    assert(ran?._tag === "ToolFinished" && ran.output !== undefined)
    assert.strictEqual(ran.output, `${"ä".repeat(16 * 1024 - 1)}…`)
  })

  test.live(
    "waits while its listener is behind, and ends all the same when it is interrupted (promise 27)",
    function* () {
      const { start, turn } = yield* ClaudeCode.client()
      const catchUp = Promise.withResolvers<void>()
      const behind = slow(catchUp.promise)
      const lost = slow(new Promise(() => {}))
      const [first, second, other] = [yield* start({}), yield* start({}), yield* start({})]
      const held = yield* Effect.forkChild(turn(first, "deltas 20000", behind), { startImmediately: true })
      const given = yield* Effect.forkChild(turn(second, "deltas 20000", lost), { startImmediately: true })
      yield* Effect.all([behind.spoke, lost.spoke])
      yield* turn(other, "deltas 20000", ClaudeCode.recorder())
      for (const { events } of [behind, lost]) assert.isBelow(events.length, 20_000)
      yield* Fiber.interrupt(given)
      catchUp.resolve()
      assert.strictEqual((yield* Fiber.join(held)).content, "all")
      assert.strictEqual(behind.events.filter(isText).length, 20_000)
    },
  )

  test.live("goes on past lines that are no messages and messages that nobody knows", function* () {
    const { threadId, turn } = yield* ClaudeCode.thread()
    const listener = ClaudeCode.recorder()
    const { content } = yield* turn(threadId, "garbage", listener)
    assert.strictEqual(content, "still here")
    const news = listener.events.find((event) => event._tag === "Raw" && event.method === "claude/news")
    assert.propertyVal(news && "params" in news ? news.params : {}, "about", "something")
  })

  test.live.each([
    ["nothing", {}, { content: "Claude Code did not send the prompt to its model.", isError: true }],
    ["nothing", { promptCommands: true }, { content: "", isError: false }],
    ["nobody", {}, { content: "Claude Code ended the turn without an answer to its prompt.", isError: true }],
  ] as const)(
    "has failed where no model was asked, or the answer is to no prompt: %s, %j",
    function* ([prompt, options, result]) {
      const { threadId, turn } = yield* ClaudeCode.thread({}, options)
      const { content, isError } = yield* turn(threadId, prompt, ClaudeCode.recorder())
      assert.deepStrictEqual({ content, isError }, result)
    },
  )

  test.live(
    "is answered by a turn that the agent has begun by itself, where that one takes the prompt in",
    function* () {
      const { says } = yield* ClaudeCode.thread()
      yield* says("unasked takes")
      assert.strictEqual(yield* says("say never"), "taken in")
    },
  )

  test.live.each([
    { prompt: "unasked", env: {} },
    { prompt: "unasked later", env: {} },
    { prompt: "unasked", env: { FAKE_OLD: "1" } },
  ])(
    "is not mixed up with a turn that the agent begins by itself (%j), and that turn gets no approval",
    function* ({ env, prompt }) {
      const { home, threadId, turn } = yield* ClaudeCode.thread({ env })
      const first = yield* turn(threadId, prompt, ClaudeCode.recorder())
      const listener = ClaudeCode.recorder()
      const second = yield* turn(threadId, "say asked again", listener)
      assert.deepStrictEqual([first.content, second.content], ["asked", "asked again"])
      assert.notInclude(JSON.stringify(listener.events), "unasked")
      assert.lengthOf(listener.asked, 0)
      assert.include(ClaudeCode.read(home, "unasked.json"), '"behavior":"deny"')
    },
  )
})
