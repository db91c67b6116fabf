/** A Codex that does not answer a request in time. */
import { assert, describe } from "@effect/vitest"
import { gone, isAlive } from "@zain/testkit/Alive"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { codex, listener, script, thread } from "../../testing/server/Codex.ts"

/** Ends what hangs. */
const soon = Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.succeed("hangs") })

describe("a Codex that does not answer (promise 1)", () => {
  test.live("`turn/start` fails the turn as stalled, is ended, and the thread continues", function* () {
    const env = { FAKE_SILENT: "turn/start" }
    const { pids, says, threadId, turn } = yield* thread({ acceptTimeout: "1 second", env })
    const ear = listener()
    const error = yield* Effect.flip(soon(turn(threadId, { prompt: script([{ message: "Never." }]) }, ear)))
    assert.strictEqual(`${error.reason} ${error.delivery}`, "stalled unknown")
    assert.include(error.message, "turn/start within 1s")
    assert.include(error.message, "--accept-timeout")
    assert.deepStrictEqual([ear.stages, ear.named], [["due"], []])
    assert.isFalse(isAlive(pids()[0] ?? 0))
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
  })

  test.live.each(["config/read", "thread/start", "thread/resume"])(
    "%s fails the call as stalled, with nothing sent, and has ended: the next call starts another",
    function* (method) {
      const { agent, again, pids } = yield* codex({ acceptTimeout: "1 second", env: { FAKE_SILENT: method } })
      const begin = Effect.scoped(Effect.flatMap(agent.attach, ({ start }) => start({})))
      const threadId = method === "thread/resume" ? yield* begin : ""
      const [one, other] = [yield* agent.attach, yield* Effect.flatMap(again, ({ attach }) => attach)]
      const error = yield* Effect.flip(soon(threadId === "" ? one.start({}) : one.open(threadId)))
      assert.strictEqual(`${error.reason} ${error.delivery}`, "stalled not-sent")
      assert.isFalse(isAlive(pids().at(-1) ?? 0))
      const before = pids().length
      // Its lock is free, also for another server.
      const id = threadId === "" ? yield* one.start({}) : threadId
      const on = threadId === "" ? one : other
      assert.strictEqual((yield* on.turn(id, { prompt: script([{ message: "Next." }]) }, listener())).content, "Next.")
      assert.strictEqual(pids().length, before + 1)
    },
  )

  test.live("a turn's id fails the turn, and has ended, because the turn may run", function* () {
    const { pids, says, threadId, turn } = yield* thread()
    const error = yield* Effect.flip(soon(turn(threadId, { prompt: script([{ hang: true }], "nameless") }, listener())))
    assert.strictEqual(error.reason, "agent-refused")
    assert.include(error.message, "without returning the turn's id")
    assert.isFalse(isAlive(pids()[0] ?? 0))
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
  })

  test.live("a request whose caller has left has ended too, and holds its thread until then", function* () {
    const { agent, again, heard, pids } = yield* codex({
      acceptTimeout: "3 seconds",
      env: { FAKE_SILENT: "thread/resume thread/unsubscribe" },
    })
    const threadId = yield* Effect.scoped(Effect.flatMap(agent.attach, ({ start }) => start({})))
    const [one, other] = [yield* agent.attach, yield* Effect.flatMap(again, ({ attach }) => attach)]
    const left = yield* Effect.forkChild(one.open(threadId))
    while (!heard().some(({ method }) => method === "thread/resume")) yield* Effect.yieldNow
    yield* Fiber.interrupt(left)
    assert.strictEqual((yield* Effect.flip(other.open(threadId))).reason, "thread-held")
    const [, pid = 0] = pids()
    assert.isTrue(isAlive(pid))
    yield* gone(pid)
    yield* other.open(threadId)
  })
})
