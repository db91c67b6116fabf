/** Lifetimes of Claude Code's processes and threads. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { gone, isAlive } from "@zain/testkit/Alive"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Duration, Effect } from "effect"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

const quiet = ClaudeCode.recorder

describe("the process of a thread of Claude Code", () => {
  test.live("that dies during the first turn leaves a thread that can be resumed", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread({ program: true })
    yield* Effect.flip(turn(threadId, { prompt: "die" }, quiet()))
    assert.strictEqual(yield* says("earlier"), '["die"]')
    assert.include(ClaudeCode.starts(home).at(-1)?.args ?? [], `--resume=${threadId}`)
  })

  test.live("starts when a session opens, and answers the first turn with the same options", function* () {
    const { begin, home, start, turn } = yield* ClaudeCode.client()
    yield* begin({ model: "opus" })
    const ready = Effect.sync(() => existsSync(join(home, "setups.jsonl")))
    yield* Effect.repeat(Effect.sleep(5), { until: () => ready })
    const threadId = yield* start({ model: "opus" })
    const { content } = yield* turn(threadId, { prompt: "say one" }, quiet())
    assert.strictEqual(content, "one")
    assert.deepStrictEqual(
      ClaudeCode.starts(home).map(({ args }) => args.includes(`--session-id=${threadId}`)),
      [true],
    )
    // The process is the first thread's.
    assert.notStrictEqual(yield* start({ model: "opus" }), threadId)
  })

  test.live("that started when a session opened is one at most, and answers one thread", function* () {
    const { begin, home, start, turn } = yield* ClaudeCode.client()
    for (const model of ["opus", "sonnet", "opus"]) yield* begin({ model })
    const threads = yield* Effect.all([start({ model: "opus" }), start({ model: "opus" })], { concurrency: 2 })
    assert.lengthOf(new Set(threads), 2)
    for (const threadId of threads) yield* turn(threadId, { prompt: "say one" }, quiet())
    assert.lengthOf(ClaudeCode.starts(home), 2)
  })

  test.live("that started when a session opened is not used by a turn with other options", function* () {
    const { begin, home, start, turn } = yield* ClaudeCode.client()
    yield* begin({ permissionMode: "plan" })
    const threadId = yield* start({ permissionMode: "acceptEdits" })
    yield* turn(threadId, { prompt: "say one" }, quiet())
    const own = ClaudeCode.starts(home).filter(({ args }) => args.includes(`--session-id=${threadId}`))
    assert.deepStrictEqual(
      own.map(({ args }) => args.includes("--permission-mode=acceptEdits")),
      [true],
    )
  })

  test.live("that never sends a message fails the thread's start with its stderr output", function* () {
    const { home, start } = yield* ClaudeCode.client({ program: true })
    const error = yield* Effect.flip(start({ model: "none" }))
    assert.strictEqual(error.reason, "agent-exited")
    assert.match(error.message, /exited with code 1.*there is no such model/s)
    assert.isAtMost(ClaudeCode.starts(home).length, 2)
  })

  test.live.each(["leave", "leave late"])(
    "that exits between two turns is replaced without an error (%s)",
    function* (prompt) {
      const { home, says } = yield* ClaudeCode.thread()
      yield* says(prompt)
      assert.strictEqual(yield* says("earlier"), JSON.stringify([prompt]))
      assert.lengthOf(ClaudeCode.starts(home), 2)
    },
  )

  test.live("ends after the idle limit, and the next turn resumes", function* () {
    const { home, says, threadId } = yield* ClaudeCode.thread({ program: true, idleTimeout: Duration.millis(50) })
    yield* says("say one")
    yield* gone(ClaudeCode.starts(home)[0]?.pid ?? 0)
    assert.strictEqual(yield* says("earlier"), '["say one"]')
    assert.include(ClaudeCode.starts(home)[1]?.args ?? [], `--resume=${threadId}`)
  })

  test.live("ends when too many others are idle, the oldest first", function* () {
    const { home, start, turn } = yield* ClaudeCode.client({ maxIdle: 2 })
    const threads = [yield* start({}), yield* start({}), yield* start({})]
    for (const threadId of threads) yield* turn(threadId, { prompt: "say x" }, quiet())
    const [first, ...others] = ClaudeCode.starts(home)
    yield* gone(first?.pid ?? 0)
    assert.isTrue(others.every(({ pid }) => isAlive(pid)))
  })

  test.live("runs turns in the order of their calls, independent of the order in which records are read", function* () {
    const { says, threadId, turn } = yield* ClaudeCode.thread({ records: ClaudeCode.lastFirst })
    const prompts = ["say a", "say b", "say c", "say d"]
    yield* Effect.forEach(prompts, (prompt) => turn(threadId, { prompt }, quiet()), { concurrency: "unbounded" })
    assert.strictEqual(yield* says("earlier"), JSON.stringify(prompts))
  })
})

describe("when clients of Claude Code disconnect,", () => {
  test.live("a process that another client uses stays", function* () {
    const { agent, home, says, threadId } = yield* ClaudeCode.thread()
    yield* says("say mine")
    yield* Effect.scoped(
      Effect.flatMap(agent.attach, (second) => second.turn(threadId, { prompt: "say ours" }, quiet())),
    )
    assert.strictEqual(yield* says("earlier"), '["say mine","say ours"]')
    assert.lengthOf(ClaudeCode.starts(home), 1)
  })

  test.live("a running turn ends with the client, even if it ignores its interrupt", function* () {
    const home = yield* directory
    const agent = yield* ClaudeCode.agent(home, { program: true, interruptTimeout: Duration.millis(100) })
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { start, turn } = yield* agent.attach
        const listener = quiet()
        yield* Effect.forkScoped(turn(yield* start({}), { prompt: "deaf" }, listener))
        yield* listener.spoke
      }),
    )
    assert.isFalse(isAlive(ClaudeCode.starts(home)[0]?.pid ?? 0))
  })

  test.live("a call of a disconnected one fails", function* () {
    const home = yield* directory
    const agent = yield* ClaudeCode.agent(home)
    const { start, turn } = yield* Effect.scoped(agent.attach)
    const error = yield* Effect.flip(turn(yield* start({}), { prompt: "say x" }, quiet()))
    assert.strictEqual(error.reason, "start-failed")
    assert.notInclude(readdirSync(home), "starts.jsonl")
  })
})
