import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber, SubscriptionRef } from "effect"
import * as TestClock from "effect/testing/TestClock"
import type * as EditorLink from "../../src/infrastructure/link/EditorLink.ts"
import { failureOf, seconds, settle, successOf } from "../../testing/domain/Calls.ts"
import { fourthEditor } from "../../testing/FourthEditor.ts"
import { link as begin } from "../../testing/link/ScriptedPeer.ts"

const stateOf = (link: EditorLink.EditorLink) => SubscriptionRef.getUnsafe(link.state)._tag

describe("a link's connection", () => {
  test("a link waits 1, 2, 4 s between attempts, and 1 s again after a success (editors 004.15)", function* () {
    const { link, peer } = yield* begin()
    peer.isUp = false
    yield* link.open
    yield* settle
    const seen: Array<number> = []
    for (let second = 1; second <= 8; second++) {
      yield* TestClock.adjust(seconds(1))
      seen.push(peer.attempts)
    }
    assert.deepStrictEqual(seen, [2, 2, 3, 3, 3, 3, 4, 4])
    peer.isUp = true
    yield* TestClock.adjust(seconds(8))
    assert.strictEqual(stateOf(link), "Ready")
    peer.end()
    yield* TestClock.adjust(seconds(1))
    assert.deepStrictEqual([peer.attempts, stateOf(link)], [6, "Ready"])
  })

  test("fifty losses leave one timer, and each connection is released (editors 000.22)", function* () {
    const { link, peer } = yield* begin()
    yield* link.open
    yield* settle
    for (let loss = 0; loss < 50; loss++) {
      peer.end()
      peer.end()
      yield* TestClock.adjust(seconds(1))
    }
    assert.deepStrictEqual([peer.attempts, peer.ended, stateOf(link)], [51, 50, "Ready"])
    yield* TestClock.adjust(seconds(3_600))
    assert.strictEqual(peer.attempts, 51)
  })

  test("without reconnects only calls make attempts", function* () {
    const { call, link, peer } = yield* begin({ reconnects: false })
    peer.isUp = false
    yield* link.open
    yield* TestClock.adjust(seconds(100))
    assert.strictEqual(peer.attempts, 1)
    yield* failureOf(yield* call("look"))
    assert.strictEqual(peer.attempts, 2)
  })

  test("without reconnects a call that waits for a lost editor makes attempts until it is back (editors 000.12)", function* () {
    const { call, peer } = yield* begin({ reconnects: false })
    const [reading, waiting] = [yield* call("look", { isRepeatable: true }), yield* call("draw")]
    yield* settle
    peer.isUp = false
    peer.end()
    yield* TestClock.adjust(seconds(3))
    peer.isUp = true
    yield* TestClock.adjust(seconds(1))
    assert.deepStrictEqual(
      peer.sent.map((sent) => sent.do),
      ["look", "look"],
    )
    peer.answer(1, "seen")
    peer.answer(2, "drawn")
    assert.deepStrictEqual([yield* successOf(reading), yield* successOf(waiting)], ["seen", "drawn"])
  })

  test("a call made while the editor is away makes an attempt at once (editors 000.12)", function* () {
    const { call, link, peer } = yield* begin()
    yield* link.open
    yield* settle
    peer.end()
    yield* settle
    assert.deepStrictEqual([peer.attempts, stateOf(link)], [1, "Away"])
    yield* call("look")
    yield* settle
    assert.deepStrictEqual([peer.attempts, stateOf(link), peer.sent.length], [2, "Ready", 1])
  })

  test("a first exchange over the limit fails its calls at once, with what was too much (editors 000.8)", function* () {
    const { call, peer } = yield* begin()
    peer.greets = false
    const waiting = yield* call("look")
    yield* settle
    peer.oversize("{")
    yield* settle
    assert.isDefined(waiting.pollUnsafe())
    const error = yield* failureOf(waiting)
    assert.deepStrictEqual([error._tag, error.delivery], ["DiscoveryError", "not-sent"])
    assert.include(error.message, "of 9 bytes, more than 8 (--max-frame raises the limit)")
  })

  test("an editor that does not answer the first exchange within 10 s is not this editor", function* () {
    const { call, peer } = yield* begin()
    peer.greets = false
    const waiting = yield* call("look")
    yield* TestClock.adjust(seconds(10))
    const error = yield* failureOf(waiting)
    assert.deepStrictEqual(
      [error._tag, error.reason, error.delivery],
      ["DiscoveryError", "not-this-editor", "not-sent"],
    )
  })

  test("an editor that answers nothing but the probe is busy, and may be called again", function* () {
    const busyProbe = { text: '{"do":"probe"}', isAnswer: (message: unknown) => "pong" in Object(message) }
    const { call, peer } = yield* begin({}, { busyProbe })
    peer.greets = false
    const waiting = yield* call("look")
    yield* TestClock.adjust(seconds(10))
    const error = yield* failureOf(waiting)
    assert.deepStrictEqual([error._tag, error.reason, error.delivery], ["ConnectionError", "busy", "not-sent"])
    assert.strictEqual(peer.attempts, 2)
  })

  test("a link is closed with its Scope, and its calls end", function* () {
    const { call, peer } = yield* Effect.scoped(
      Effect.gen(function* () {
        const begun = yield* begin()
        const call = yield* Effect.forkDetach(
          Effect.result(begun.link.request("draw", {}, { deadline: seconds(30), isRepeatable: false })),
          { startImmediately: true },
        )
        yield* settle
        return { ...begun, call }
      }),
    )
    assert.strictEqual((yield* failureOf(call)).reason, "closed")
    assert.deepStrictEqual([peer.attempts, peer.ended], [1, 1])
  })
})

describe("a link's calls", () => {
  test("calls are sent one at a time, in order, and each gets its own answer (editors 004.14)", function* () {
    const { call, peer } = yield* begin()
    const calls = [yield* call("a"), yield* call("b"), yield* call("c")]
    yield* settle
    assert.deepStrictEqual(
      peer.sent.map((sent) => sent.do),
      ["a"],
    )
    for (const at of [0, 1, 2]) peer.answer(at, at)
    assert.deepStrictEqual(yield* Effect.forEach(calls, successOf), [0, 1, 2])
    assert.deepStrictEqual(
      peer.sent.map((sent) => sent.do),
      ["a", "b", "c"],
    )
  })

  test("a profile with several in flight is sent so many at once", function* () {
    const { call, peer } = yield* begin({}, { inFlight: 2 })
    const calls = [yield* call("a"), yield* call("b"), yield* call("c")]
    yield* settle
    assert.strictEqual(peer.sent.length, 2)
    peer.answer(1, "b")
    peer.answer(0, "a")
    peer.answer(2, "c")
    assert.deepStrictEqual(yield* Effect.forEach(calls, successOf), ["a", "b", "c"])
  })

  test("a deadline counts from sending, fails its call alone, and its late answer is dropped (editors 000.11, 004.14)", function* () {
    const { call, peer } = yield* begin()
    const slow = yield* call("slow", { deadline: seconds(5) })
    const next = yield* call("next", { deadline: seconds(5) })
    yield* settle
    yield* TestClock.adjust(seconds(5))
    const error = yield* failureOf(slow)
    assert.deepStrictEqual([error.reason, error.delivery], ["timeout", "unknown"])
    assert.include(error.message, "timed out after 5 s (--timeout)")
    yield* TestClock.adjust(seconds(4))
    peer.answer(0, "late")
    peer.answer(1, "in time")
    assert.strictEqual(yield* successOf(next), "in time")
  })

  test("a call has its whole time though one before it was answered, and a shorter time passes first", function* () {
    const { call, peer } = yield* begin({}, { inFlight: 2 })
    const answered = yield* call("answered", { deadline: seconds(5) })
    yield* settle
    yield* TestClock.adjust(seconds(4))
    peer.answer(0, "soon")
    assert.strictEqual(yield* successOf(answered), "soon")
    const long = yield* call("long", { deadline: seconds(9) })
    yield* TestClock.adjust(seconds(2))
    const short = yield* call("short", { deadline: seconds(3) })
    yield* TestClock.adjust(seconds(2))
    assert.deepStrictEqual([long.pollUnsafe(), short.pollUnsafe()], [undefined, undefined])
    yield* TestClock.adjust(seconds(1))
    assert.strictEqual((yield* failureOf(short)).reason, "timeout")
    yield* TestClock.adjust(seconds(3))
    assert.strictEqual(long.pollUnsafe(), undefined)
    yield* TestClock.adjust(seconds(1))
    assert.strictEqual((yield* failureOf(long)).reason, "timeout")
  })

  test("the editor is sent a cancellation of what was sent and timed out or was interrupted, and of nothing else", function* () {
    const { dialect } = fourthEditor
    const cancel = (id: string) => ({ method: "stop", params: { id } })
    const logged: Array<string> = []
    const { call, peer } = yield* begin(
      { log: (event) => logged.push(event) },
      { inFlight: 2, dialect: { ...dialect, cancel } },
    )
    const calls = [yield* call("slow", { deadline: seconds(5) }), yield* call("dropped"), yield* call("waiting")]
    yield* settle
    const [slow, dropped] = peer.sent
    yield* Fiber.interrupt(calls[2] ?? assert.fail())
    yield* Fiber.interrupt(calls[1] ?? assert.fail())
    yield* TestClock.adjust(seconds(5))
    assert.deepStrictEqual(
      peer.sent.map((message) => [message.do, message.with]),
      [
        ["slow", {}],
        ["dropped", {}],
        ["stop", { id: dropped?.id }],
        ["stop", { id: slow?.id }],
      ],
    )
    for (const at of [2, 3, 0, 1]) peer.answer(at, "late")
    assert.deepStrictEqual(logged, [])
    const next = yield* call("next")
    yield* settle
    peer.answer(4, "alive")
    assert.strictEqual(yield* successOf(next), "alive")
  })

  test("an answer of an unknown id, or a second one, is logged and goes to no other call", function* () {
    const logged: Array<string> = []
    const { call, peer } = yield* begin({ log: (event) => logged.push(event) })
    const one = yield* call("one")
    const two = yield* call("two")
    yield* settle
    peer.say({ id: "stranger", ok: "wrong" })
    peer.answer(0, 1)
    peer.answer(0, "again")
    peer.answer(1, 2)
    assert.deepStrictEqual([yield* successOf(one), yield* successOf(two)], [1, 2])
    assert.deepStrictEqual(logged, ["unknown answer", "unknown answer"])
  })

  test("an error without an id belongs to the oldest call", function* () {
    const { call, peer } = yield* begin({}, { inFlight: 2 })
    const [one, two] = [yield* call("one"), yield* call("two")]
    yield* settle
    peer.say({ no: "broken" })
    peer.answer(1, 2)
    const error = yield* failureOf(one)
    assert.deepStrictEqual([error.message, error.delivery, yield* successOf(two)], ["broken", "answered", 2])
  })

  test("an interrupted call that waits is not sent, and one that was sent is forgotten", function* () {
    const { call, peer } = yield* begin()
    const calls = [yield* call("a"), yield* call("b"), yield* call("c")] as const
    yield* settle
    yield* Fiber.interrupt(calls[1])
    yield* Fiber.interrupt(calls[0])
    peer.answer(0, "late")
    peer.answer(1, "c")
    assert.strictEqual(yield* successOf(calls[2]), "c")
    assert.deepStrictEqual(
      peer.sent.map((sent) => sent.do),
      ["a", "c"],
    )
  })

  test("an answer over the limit fails the call whose id stands in how it begins, or the oldest (editors 000.8)", function* () {
    const { call, peer } = yield* begin({}, { inFlight: 3 })
    const calls = [yield* call("a"), yield* call("b"), yield* call("c")] as const
    yield* settle
    peer.oversize(`{"id":"${peer.sent[1]?.id}","ok":"…`)
    peer.oversize("nothing to see")
    peer.answer(2, "c")
    for (const call of [calls[0], calls[1]]) {
      const error = yield* failureOf(call)
      assert.deepStrictEqual([error.reason, error.delivery], ["over-limit", "unknown"])
      assert.include(error.message, "--max-frame")
    }
    assert.strictEqual(yield* successOf(calls[2]), "c")
  })
})

describe("the log of a call", () => {
  test("a call's log has its course, and its late answer, without arguments and results (editors 000.11, 000.26)", function* () {
    const { link, peer } = yield* begin()
    const lines: Array<string> = []
    const begun = (name: string, isRepeatable = false) =>
      Effect.forkChild(
        Effect.result(
          link.request(
            "draw",
            { code: "class Secret {}" },
            {
              deadline: seconds(5),
              isRepeatable,
              log: (event, detail = "") => lines.push(`${name}: ${event} ${detail}`.trim()),
            },
          ),
        ),
        { startImmediately: true },
      )
    yield* begun("slow")
    yield* begun("next")
    yield* settle
    yield* TestClock.adjust(seconds(5))
    peer.answer(0, "class Secret {}")
    peer.answer(1, "class Secret {}")
    yield* begun("reading", true)
    yield* settle
    peer.end()
    yield* TestClock.adjust(seconds(1))
    peer.end()
    yield* TestClock.adjust(seconds(1))
    const waiting = yield* begun("waiting")
    yield* settle
    yield* Fiber.interrupt(waiting)
    assert.deepStrictEqual(lines, [
      "slow: queued draw",
      "slow: sent",
      "next: queued draw",
      "slow: failed timeout, unknown",
      "next: sent",
      "slow: late answer dropped",
      "next: answered",
      "reading: queued draw",
      "reading: sent",
      "reading: lost to be sent again",
      "reading: sent",
      "reading: failed lost, unknown",
      "waiting: queued draw",
      "waiting: sent",
      "waiting: cancelled",
    ])
  })

  test("what is passed over is logged without its content (editors 000.26)", function* () {
    const lines: Array<string> = []
    const { call, link, peer } = yield* begin({ log: (event, detail) => lines.push(`${event}: ${detail}`) })
    yield* link.open
    yield* settle
    peer.say({ id: "stranger", ok: "class Secret {}" })
    peer.say({ script: "class Secret {}" })
    const over = yield* call("look")
    yield* settle
    peer.oversize('{"id":"f2","ok":"class Secret {}')
    yield* failureOf(over)
    assert.deepStrictEqual(lines, [
      "unknown answer: stranger",
      "noise: a message with script",
      "over limit: a message of 9 bytes, more than 8 (--max-frame raises the limit)",
    ])
  })
})

describe("a link whose editor is lost", () => {
  test("calls fail when the grace has passed; later ones make one attempt and fail at once", function* () {
    const { call, link, peer } = yield* begin({ grace: seconds(20) })
    yield* link.open
    yield* settle
    peer.isUp = false
    peer.end()
    const waiting = yield* call("draw")
    yield* TestClock.adjust(Duration.millis(19_999))
    assert.isUndefined(waiting.pollUnsafe())
    yield* TestClock.adjust(Duration.millis(1))
    const error = yield* failureOf(waiting)
    assert.deepStrictEqual([error.reason, error.delivery], ["away", "not-sent"])
    assert.include(error.message, "within 20 s (--grace)")
    const attempts = peer.attempts
    assert.strictEqual((yield* failureOf(yield* call("draw"))).reason, "refused")
    assert.strictEqual(peer.attempts, attempts + 1)
  })

  test("an editor that quits is not waited for (editors 000.23)", function* () {
    const { call, link, peer } = yield* begin()
    const begun = yield* call("draw")
    yield* settle
    peer.say({ notice: "quit" })
    const waiting = yield* call("look")
    peer.isUp = false
    peer.end()
    assert.deepStrictEqual(
      [(yield* failureOf(begun)).delivery, (yield* failureOf(waiting)).reason],
      ["unknown", "away"],
    )
    assert.strictEqual(stateOf(link), "Away")
  })

  test("calls before any connection make one attempt and fail with its cause, at once", function* () {
    const { call, peer } = yield* begin()
    peer.isUp = false
    peer.takes = seconds(3)
    const calls = [yield* call("a"), yield* call("b")]
    yield* TestClock.adjust(seconds(3))
    for (const one of calls) assert.strictEqual((yield* failureOf(one)).reason, "refused")
    assert.strictEqual(peer.attempts, 1)
  })

  test("what cannot be read ends the calls that were sent, at once, and it connects again (editors 000.9, 004.11)", function* () {
    const { call, link, peer } = yield* begin()
    const reading = yield* call("look", { isRepeatable: true })
    yield* settle
    peer.end('"this is garbage"')
    const error = yield* failureOf(reading)
    assert.deepStrictEqual([error.reason, error.delivery], ["garbage", "unknown"])
    assert.include(error.message, '"this is garbage"')
    yield* TestClock.adjust(seconds(1))
    assert.strictEqual(stateOf(link), "Ready")
  })
})
