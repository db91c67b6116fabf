/** How long processes of Claude Code live, and that threads live longer. */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ClaudeCode from "./ClaudeCode.ts"

const quiet = ClaudeCode.recorder

describe("the process of a thread", () => {
  it.live("that dies in the middle of a turn fails it with exit code and last words, and the next turn resumes", () =>
    Effect.gen(function* () {
      const { home, start, turn } = yield* ClaudeCode.client()
      const threadId = yield* start({ model: "opus" })
      yield* turn(threadId, "say one", quiet())
      const error = yield* Effect.flip(turn(threadId, "die", quiet()))
      assert.strictEqual(error.reason, "agent-exited")
      assert.match(error.message, /exited with code 7.*these are my last words/s)
      const { content } = yield* turn(threadId, "earlier", quiet())
      assert.strictEqual(content, '["say one","die"]')
      const [first, second] = ClaudeCode.starts(home)
      assert.deepStrictEqual(
        second?.args,
        first?.args.map((arg) => arg.replace("--session-id", "--resume")),
      )
    }),
  )

  it.live("that dies in its very first turn leaves a thread that can be resumed", () =>
    Effect.gen(function* () {
      const { home, start, turn } = yield* ClaudeCode.client()
      const threadId = yield* start({})
      yield* Effect.flip(turn(threadId, "die", quiet()))
      const { content } = yield* turn(threadId, "earlier", quiet())
      assert.strictEqual(content, '["die"]')
      assert.include(ClaudeCode.starts(home).at(-1)?.args ?? [], `--resume=${threadId}`)
    }),
  )

  it.live("that never says a word fails the thread's start with what it printed", () =>
    Effect.gen(function* () {
      const { home, start } = yield* ClaudeCode.client()
      const error = yield* Effect.flip(start({ model: "none" }))
      assert.strictEqual(error.reason, "agent-exited")
      assert.match(error.message, /exited with code 1.*there is no such model/s)
      assert.isAtMost(ClaudeCode.starts(home).length, 2)
    }),
  )

  it.live("that leaves between two turns is replaced without a word to anybody", () =>
    Effect.gen(function* () {
      const { home, start, turn } = yield* ClaudeCode.client()
      const threadId = yield* start({})
      yield* turn(threadId, "leave", quiet())
      const { content } = yield* turn(threadId, "earlier", quiet())
      assert.strictEqual(content, '["leave"]')
      assert.lengthOf(ClaudeCode.starts(home), 2)
    }),
  )

  it.live("ends when it has been idle for long enough, and the next turn resumes", () =>
    Effect.gen(function* () {
      const { home, start, turn } = yield* ClaudeCode.client({ idleLimit: Duration.millis(50) })
      const threadId = yield* start({})
      yield* turn(threadId, "say one", quiet())
      yield* ClaudeCode.gone(ClaudeCode.starts(home)[0]?.pid ?? 0)
      const { content } = yield* turn(threadId, "earlier", quiet())
      assert.strictEqual(content, '["say one"]')
      assert.include(ClaudeCode.starts(home)[1]?.args ?? [], `--resume=${threadId}`)
    }),
  )

  it.live("ends when too many others are idle, the oldest first", () =>
    Effect.gen(function* () {
      const { home, start, turn } = yield* ClaudeCode.client({ mostIdle: 2 })
      const threads = [yield* start({}), yield* start({}), yield* start({})]
      for (const threadId of threads) yield* turn(threadId, "say x", quiet())
      const [first, ...others] = ClaudeCode.starts(home)
      yield* ClaudeCode.gone(first?.pid ?? 0)
      assert.isTrue(others.every(({ pid }) => ClaudeCode.isAlive(pid)))
    }),
  )

  it.live("serves turns in the order in which they were asked for, whichever record of the thread is read first", () =>
    Effect.gen(function* () {
      const { start, turn } = yield* ClaudeCode.client({ records: ClaudeCode.lastFirst })
      const threadId = yield* start({})
      const prompts = ["say a", "say b", "say c", "say d"]
      yield* Effect.forEach(prompts, (prompt) => turn(threadId, prompt, quiet()), { concurrency: "unbounded" })
      const { content } = yield* turn(threadId, "earlier", quiet())
      assert.strictEqual(content, JSON.stringify(prompts))
    }),
  )
})

describe("when clients leave", () => {
  it.live("the last one that used a thread takes its process along, and all that it started", () =>
    Effect.gen(function* () {
      const home = yield* ClaudeCode.home
      const agent = yield* ClaudeCode.agent(home)
      const first = yield* agent.attach
      const threadId = yield* first.start({})
      const other = yield* first.start({})
      yield* first.turn(other, "say mine", quiet())
      const child = yield* Effect.scoped(
        Effect.gen(function* () {
          const second = yield* agent.attach
          const { content } = yield* second.turn(threadId, "child", quiet())
          assert.isTrue(ClaudeCode.isAlive(Number(content)))
          return Number(content)
        }),
      )
      const [kept, ended] = ClaudeCode.starts(home)
      assert.isFalse(ClaudeCode.isAlive(ended?.pid ?? 0))
      assert.isFalse(ClaudeCode.isAlive(child))
      assert.isTrue(ClaudeCode.isAlive(kept?.pid ?? 0))
      const { content } = yield* first.turn(threadId, "earlier", quiet())
      assert.strictEqual(content, '["child"]')
    }),
  )

  it.live("a process that another client has used stays with that one", () =>
    Effect.gen(function* () {
      const home = yield* ClaudeCode.home
      const agent = yield* ClaudeCode.agent(home)
      const first = yield* agent.attach
      const threadId = yield* first.start({})
      yield* first.turn(threadId, "say mine", quiet())
      yield* Effect.scoped(Effect.flatMap(agent.attach, (second) => second.turn(threadId, "say ours", quiet())))
      const { content } = yield* first.turn(threadId, "earlier", quiet())
      assert.strictEqual(content, '["say mine","say ours"]')
      assert.lengthOf(ClaudeCode.starts(home), 1)
    }),
  )

  it.live("a turn under way ends with the client, even one that does not hear its interrupt", () =>
    Effect.gen(function* () {
      const home = yield* ClaudeCode.home
      const agent = yield* ClaudeCode.agent(home, { interruptLimit: Duration.millis(100) })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { start, turn } = yield* agent.attach
          const listener = quiet()
          yield* Effect.forkScoped(turn(yield* start({}), "deaf", listener))
          yield* listener.spoke
        }),
      )
      assert.isFalse(ClaudeCode.isAlive(ClaudeCode.starts(home)[0]?.pid ?? 0))
    }),
  )

  it.live("nothing can be done for one that has left", () =>
    Effect.gen(function* () {
      const home = yield* ClaudeCode.home
      const agent = yield* ClaudeCode.agent(home)
      const { start, turn } = yield* Effect.scoped(agent.attach)
      const error = yield* Effect.flip(turn(yield* start({}), "say x", quiet()))
      assert.strictEqual(error.reason, "start-failed")
      assert.notInclude(readdirSync(home), "starts.jsonl")
    }),
  )
})
