/**
 * A link to an editor that connecting starts, and what becomes of one that answers nothing any more.
 */
import { assert, describe } from "@effect/vitest"
import type { Target } from "@zain/editor-link/infrastructure/link/Target"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { failureOf, seconds, settle } from "../../editor-link/testing/domain/Calls.ts"
import { link, ScriptedPeer } from "../../editor-link/testing/link/ScriptedPeer.ts"
import { blender } from "../src/BlenderProfile.ts"

const begin = Effect.fnUntraced(function* (isLaunched = true) {
  const peer = new ScriptedPeer()
  let ends = 0
  const end = Effect.sync(() => {
    ends++
    peer.end()
  })
  const seek = Effect.succeed({ host: "127.0.0.1", port: 4444 })
  const launched = { end, startAdvice: "Install it." }
  const target: Target = { seek, sought: "an editor of this server", ...(isLaunched ? { launched } : {}) }
  const { health, limit } = blender
  const profile = { inFlight: 8, ...(health && { health }), ...(limit && { limit }) }
  const begun = yield* link({ target }, profile, peer)
  return { ...begun, ends: () => ends, asked: () => peer.sent.map((sent) => sent.do) }
})

describe("a link to an editor that connecting starts", () => {
  test("connects for a call alone, and not again by itself when the editor is lost", function* () {
    const { call, link, peer } = yield* begin()
    yield* link.open
    yield* TestClock.adjust(seconds(60))
    assert.strictEqual(peer.attempts, 0)
    yield* call("a")
    yield* settle
    assert.deepStrictEqual([peer.attempts, peer.sent.length], [1, 1])
    peer.end()
    yield* TestClock.adjust(seconds(60))
    assert.strictEqual(peer.attempts, 1)
    yield* call("b")
    yield* settle
    assert.deepStrictEqual([peer.attempts, peer.sent.length], [2, 2])
  })

  test("has a call wait for a start that takes longer than the rest of --grace", function* () {
    const { call, peer } = yield* begin()
    yield* call("a")
    yield* settle
    peer.end()
    yield* TestClock.adjust(seconds(19))
    peer.takes = seconds(5)
    const waiting = yield* call("b")
    yield* TestClock.adjust(seconds(5))
    peer.answer(1, "done")
    assert.deepInclude(yield* Fiber.join(waiting), { success: "done" })
  })
})

describe("a call whose time passes", () => {
  test("ends a launched editor that did not answer its health for 10 s (editors 003.20)", function* () {
    const { asked, call, ends } = yield* begin()
    const stuck = yield* call("loop")
    yield* TestClock.adjust(seconds(19))
    assert.deepStrictEqual(asked(), ["loop"])
    yield* TestClock.adjust(seconds(1))
    assert.deepStrictEqual(asked(), ["loop", "health"])
    const behind = yield* call("read")
    yield* TestClock.adjust(seconds(10))
    const error = yield* failureOf(stuck)
    assert.deepStrictEqual([error.reason, error.delivery, ends()], ["timeout", "unknown", 1])
    assert.match(error.message, /does not answer: loop timed out.*starts it again, with its scene/)
    assert.strictEqual((yield* failureOf(behind)).reason, "lost")
  })

  test("fails 10 s after the editor's own limit if the editor is silent, and not before (editors 003.20)", function* () {
    const { asked, call, ends, peer } = yield* begin()
    const stuck = yield* call("loop", { params: { timeoutMs: 1_000 } })
    yield* TestClock.adjust(seconds(1))
    peer.answer(1, {})
    yield* TestClock.adjust(seconds(10))
    assert.deepStrictEqual(asked(), ["loop", "health", "health"])
    yield* TestClock.adjust(seconds(9))
    assert.strictEqual(ends(), 0)
    yield* TestClock.adjust(seconds(1))
    assert.match((yield* failureOf(stuck)).message, /does not answer/)
    assert.strictEqual(ends(), 1)
  })

  test("keeps a busy editor that answers its health", function* () {
    const { call, ends, peer } = yield* begin()
    const busy = yield* call("render")
    yield* TestClock.adjust(seconds(20))
    peer.answer(1, {})
    yield* TestClock.adjust(seconds(10))
    assert.match((yield* failureOf(busy)).message, /timed out after 30 s.*may still be running it/)
    assert.strictEqual(ends(), 0)
  })

  test("leaves the editor to an older call that may take longer", function* () {
    const { call, ends } = yield* begin()
    yield* call("loop", { deadline: seconds(600) })
    yield* settle
    const behind = yield* call("read")
    yield* TestClock.adjust(seconds(30))
    assert.match((yield* failureOf(behind)).message, /may still be running it/)
    assert.strictEqual(ends(), 0)
  })

  test("has the remedy for an editor that the server did not start", function* () {
    const { call } = yield* begin(false)
    const stuck = yield* call("loop")
    yield* TestClock.adjust(seconds(30))
    assert.match((yield* failureOf(stuck)).message, /does not answer.*left running.*start it again/)
  })
})
