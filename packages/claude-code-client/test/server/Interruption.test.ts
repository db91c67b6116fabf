/** Turns of Claude Code that are interrupted by the client or time out. */
import { assert, describe } from "@effect/vitest"
import { isAlive } from "@zain/testkit/Alive"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber } from "effect"
import { undecided } from "../../../agent-server/testing/TurnRecorder.ts"
import * as ClaudeCode from "../../testing/server/ClaudeCode.ts"

describe("an interrupted turn of Claude Code", () => {
  test.live("ends before its process has started, and its thread continues", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread()
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: "hang" }, ClaudeCode.recorder()), {
      startImmediately: true,
    })
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(yield* says("say on"), "on")
    assert.lengthOf(ClaudeCode.starts(home), 1)
  })

  test.live("that waits behind a turn of the agent itself never reaches the agent, and ends that turn", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread({ records: ClaudeCode.inMemory })
    yield* says("unasked hang")
    const waiting = yield* Effect.forkChild(turn(threadId, { prompt: "say never" }, ClaudeCode.recorder()), {
      startImmediately: true,
    })
    yield* Fiber.interrupt(waiting)
    assert.strictEqual(yield* says("earlier"), '["unasked hang"]')
    assert.lengthOf(ClaudeCode.starts(home), 1)
  })

  test.live("declines an open approval, and interrupts its decision", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread()
    const { decide, isWithdrawn } = undecided()
    const listener = ClaudeCode.recorder(decide)
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: 'ask Bash {"command":"ls"}' }, listener))
    yield* listener.until(() => listener.asked.length === 1)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(isWithdrawn())
    assert.strictEqual(yield* says("say on"), "on")
    assert.lengthOf(ClaudeCode.starts(home), 1)
  })

  test.live("that the agent does not end is ended with its process, and the thread is resumed", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread({ interruptTimeout: Duration.millis(100) })
    yield* says("say one")
    const listener = ClaudeCode.recorder()
    const fiber = yield* Effect.forkChild(turn(threadId, { prompt: "deaf" }, listener))
    yield* listener.spoke
    yield* Fiber.interrupt(fiber)
    assert.isFalse(isAlive(ClaudeCode.starts(home)[0]?.pid ?? 0))
    assert.strictEqual(yield* says("earlier"), '["say one","deaf"]')
  })
})

describe("an unreachable model of Claude Code", () => {
  test.live("ends the turn after the model timeout, with the last error, and the thread continues", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread({ modelTimeout: Duration.seconds(1) })
    const error = yield* Effect.flip(turn(threadId, { prompt: "retries" }, ClaudeCode.recorder()))
    assert.strictEqual(error.reason, "model-unreachable")
    assert.include(error.message, "attempt 2: overloaded (HTTP status 529)")
    assert.include(error.message, 'Run "npx -p @zain/cli zain doctor" to check whether Claude Code is logged in')
    assert.include(error.message, "--model-timeout")
    assert.strictEqual(yield* says("say on"), "on")
    assert.lengthOf(ClaudeCode.starts(home), 1)
  })

  test.live.each([
    { what: "answers", prompt: "recovers" },
    { what: "starts an answer", prompt: "recovers slowly" },
  ])("that then $what does not limit the rest of the turn", function* ({ prompt }) {
    const modelTimeout = Duration.seconds(1)
    const { threadId, turn } = yield* ClaudeCode.thread({ modelTimeout })
    const slow = Effect.delay(Effect.succeed({ _tag: "Approve" as const }), Duration.times(modelTimeout, 2))
    const { content } = yield* turn(
      threadId,
      { prompt },
      ClaudeCode.recorder(() => slow),
    )
    assert.include(content, "allow")
  })
})

describe("a Claude Code that sends nothing after a prompt (promise 1)", () => {
  test.live("fails the turn as stalled, is ended, and the thread continues", function* () {
    const { home, says, threadId, turn } = yield* ClaudeCode.thread({
      acceptTimeout: Duration.seconds(1),
      interruptTimeout: Duration.seconds(1),
    })
    yield* says("say one")
    const listener = ClaudeCode.recorder()
    const hangs = { duration: "20 seconds", orElse: () => Effect.succeed("hangs") } as const
    const error = yield* Effect.flip(Effect.timeoutOrElse(turn(threadId, { prompt: "silent" }, listener), hangs))
    assert.strictEqual(`${error.reason} ${error.delivery}`, "stalled unknown")
    assert.include(error.message, "--accept-timeout")
    assert.deepStrictEqual(listener.stages, ["due"])
    assert.isFalse(isAlive(ClaudeCode.starts(home)[0]?.pid ?? 0))
    assert.strictEqual(yield* says("say on"), "on")
  })
})
