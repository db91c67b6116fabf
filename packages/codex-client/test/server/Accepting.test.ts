/** A Codex that does not answer a request in time. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { test } from "../../../core/test/Test.ts"
import { isAlive } from "../../../process/test/Alive.ts"
import { client, listener, script, thread } from "./Codex.ts"

/** Ends what hangs. */
const soon = Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.succeed("hangs") })

describe("a Codex that does not answer (promise 1)", () => {
  test.live("`turn/start` fails the turn as stalled, is ended, and the thread continues", function* () {
    const env = { FAKE_SILENT: "turn/start" }
    const { pids, says, threadId, turn } = yield* thread({ acceptTimeout: "1 second", env })
    const ear = listener()
    const error = yield* Effect.flip(soon(turn(threadId, script([{ message: "Never." }]), ear)))
    assert.strictEqual(`${error.reason} ${error.delivery}`, "stalled unknown")
    assert.include(error.message, "turn/start within 1s")
    assert.include(error.message, "--accept-timeout")
    assert.deepStrictEqual([ear.accepts, ear.named], [[false], []])
    assert.isFalse(isAlive(pids()[0] ?? 0))
    assert.strictEqual(yield* says([{ message: "Next." }]), "Next.")
  })

  test.live(
    "`thread/start` fails the start as stalled, with nothing sent, and goes on for its other threads",
    function* () {
      const { pids, start, turn } = yield* client({ acceptTimeout: "1 second", env: { FAKE_SILENT: "thread/start" } })
      const error = yield* Effect.flip(soon(start({})))
      assert.strictEqual(`${error.reason} ${error.delivery}`, "stalled not-sent")
      const ear = listener()
      assert.strictEqual((yield* turn(yield* start({}), script([{ message: "Next." }]), ear)).content, "Next.")
      assert.deepStrictEqual([ear.accepts, pids().length], [[false, true], 1])
    },
  )
})
