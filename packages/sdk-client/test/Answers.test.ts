/** Which answer is whose, and that a prompt goes out once. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { test } from "../../core/test/Test.ts"
import * as ScriptedServer from "./ScriptedServer.ts"

describe("an execute has exactly one outcome (promise 2)", () => {
  test.live("the answer that comes after a cancel is nobody's: the next prompt gets its own", function* () {
    const { adapter, ask, id } = yield* ScriptedServer.session()
    const begun = yield* Effect.forkChild(Stream.runHead(adapter.events(id)), { startImmediately: true })
    const given = yield* Effect.forkChild(ask("late"), { startImmediately: true })
    yield* Fiber.join(begun)
    yield* Fiber.interrupt(given)
    assert.strictEqual(yield* ask('echo {"text":"mine"}'), "mine")
    assert.strictEqual(yield* ask('echo {"text":"mine too"}'), "mine too")
  })
})
