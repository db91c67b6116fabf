/**
 * The promises of the services that reach the editor.
 */
import { assert } from "@effect/vitest"
import { Duration, Effect, Fiber, Result, Stream } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionService } from "../../src/application/ConnectionService.ts"
import { DiscoveryService } from "../../src/application/DiscoveryService.ts"
import { EventService } from "../../src/application/EventService.ts"
import { MessageService } from "../../src/application/MessageService.ts"
import { begin, failureOf, isOver, seconds, settle } from "../../testing/domain/Calls.ts"
import { type Behaviour, connected } from "./Behaviour.ts"

export const connection: ReadonlyArray<Behaviour> = [
  {
    title: "state is Idle until something asks for the editor, Ready while it answers, and Away when it was lost",
    holds: Effect.fnUntraced(function* (editor) {
      const { state } = yield* ConnectionService
      const { startDiscovery } = yield* DiscoveryService
      const before = yield* state
      yield* startDiscovery
      yield* settle
      const without = yield* state
      yield* connected(editor)
      const during = yield* state
      editor.leave()
      assert.deepStrictEqual([before, without, during, yield* state], ["Idle", "Connecting", "Ready", "Away"])
    }),
  },
  {
    title: "isConnected says whether the editor answers now",
    holds: Effect.fnUntraced(function* (editor) {
      const { isConnected } = yield* ConnectionService
      const before = yield* isConnected
      yield* connected(editor)
      const during = yield* isConnected
      editor.leave()
      assert.deepStrictEqual([before, during, yield* isConnected], [false, true, false])
    }),
  },
  {
    title: "ensureConnected fails at once where no editor was, and waits for one that was until its grace has passed",
    holds: Effect.fnUntraced(function* (editor) {
      const { ensureConnected } = yield* ConnectionService
      const { delivery, reason } = yield* Effect.flip(ensureConnected)
      assert.deepStrictEqual([reason, delivery], ["refused", "not-sent"])
      yield* connected(editor)
      editor.leave()
      const returned = yield* begin(ensureConnected)
      yield* TestClock.adjust(seconds(10))
      assert.isFalse(isOver(returned))
      editor.come()
      yield* TestClock.adjust(seconds(2))
      assert.isTrue(Result.isSuccess(yield* Fiber.join(returned)))
      editor.leave()
      const lost = yield* begin(ensureConnected)
      yield* TestClock.adjust(seconds(20))
      assert.strictEqual((yield* failureOf(lost)).reason, "away")
    }),
  },
  {
    title: "waitForConnection ends at once where the connection is refused",
    holds: Effect.fnUntraced(function* () {
      const { waitForConnection } = yield* ConnectionService
      const { startDiscovery } = yield* DiscoveryService
      yield* startDiscovery
      const waiting = yield* begin(waitForConnection(seconds(8)))
      yield* settle
      assert.isTrue(isOver(waiting))
      assert.deepStrictEqual(yield* Fiber.join(waiting), Result.succeed(false))
    }),
  },
  {
    title: "waitForConnection ends with the editor's coming, or after its time, while a connection is made",
    holds: Effect.fnUntraced(function* (editor) {
      const { waitForConnection } = yield* ConnectionService
      const { startDiscovery } = yield* DiscoveryService
      editor.stall()
      yield* startDiscovery
      const short = yield* begin(waitForConnection(seconds(2)))
      const long = yield* begin(waitForConnection(seconds(60)))
      yield* TestClock.adjust(seconds(2))
      assert.deepStrictEqual(yield* Fiber.join(short), Result.succeed(false))
      assert.isFalse(isOver(long))
      editor.come()
      yield* TestClock.adjust(seconds(8))
      assert.deepStrictEqual(yield* Fiber.join(long), Result.succeed(true))
    }),
  },
  {
    title: "handleConnectionLost ends when the grace has passed, and at once where the editor quit",
    holds: Effect.fnUntraced(function* (editor) {
      const { handleConnectionLost } = yield* ConnectionService
      yield* connected(editor)
      editor.leave()
      yield* TestClock.adjust(seconds(5))
      const handled = yield* begin(handleConnectionLost)
      yield* TestClock.adjust(Duration.millis(14_999))
      assert.isFalse(isOver(handled))
      yield* TestClock.adjust(Duration.millis(1))
      assert.isTrue(isOver(handled))
      yield* connected(editor)
      editor.leave("quitting")
      const quit = yield* begin(handleConnectionLost)
      yield* settle
      assert.isTrue(isOver(quit))
    }),
  },
  {
    title: "project is what the editor reports, and a failure where it reports none",
    holds: Effect.fnUntraced(function* (editor) {
      const { project } = yield* ConnectionService
      yield* connected(editor, { project: "/a/project" })
      assert.strictEqual(yield* project, "/a/project")
      editor.leave()
      editor.come()
      yield* TestClock.adjust(seconds(2))
      assert.strictEqual((yield* Effect.flip(project)).delivery, "not-sent")
    }),
  },
]

export const discovery: ReadonlyArray<Behaviour> = [
  {
    title:
      "nothing connects before startDiscovery, which does not wait, and makes one connection however often it is asked for",
    holds: Effect.fnUntraced(function* (editor) {
      const { startDiscovery } = yield* DiscoveryService
      const { isConnected } = yield* ConnectionService
      editor.come()
      yield* TestClock.adjust(seconds(60))
      assert.strictEqual(editor.connections(), 0)
      yield* startDiscovery
      yield* startDiscovery
      yield* settle
      assert.deepStrictEqual([editor.connections(), yield* isConnected], [1, true])
    }),
  },
  {
    title: "an editor that comes later, or comes back, is found",
    holds: Effect.fnUntraced(function* (editor) {
      const { startDiscovery } = yield* DiscoveryService
      const { isConnected } = yield* ConnectionService
      yield* startDiscovery
      yield* TestClock.adjust(seconds(1))
      for (const _ of [1, 2]) {
        editor.come()
        yield* TestClock.adjust(seconds(4))
        assert.isTrue(yield* isConnected)
        editor.leave()
      }
    }),
  },
]

const options = { timeoutMs: 5_000, isRepeatable: false }

export const message: ReadonlyArray<Behaviour> = [
  {
    title: "request gives what the editor answers, or its failure",
    holds: Effect.fnUntraced(function* (editor) {
      const { request } = yield* MessageService
      yield* connected(editor)
      const good = yield* begin(request("look", {}, options))
      yield* settle
      editor.answer(Result.succeed(1))
      const bad = yield* begin(request("draw", {}, options))
      yield* settle
      editor.answer(Result.fail({ message: "no pen", reason: "editor" }))
      assert.deepStrictEqual(yield* Fiber.join(good), Result.succeed(1))
      const { _tag, delivery, message } = yield* failureOf(bad)
      assert.deepStrictEqual([_tag, delivery, message], ["ToolExecutionError", "answered", "no pen"])
      assert.deepStrictEqual(editor.sent(), ["look", "draw"])
    }),
  },
  {
    title:
      "request fails after its time or the profile's, not sent where there is no editor, and unknown where that is lost",
    holds: Effect.fnUntraced(function* (editor) {
      const { request } = yield* MessageService
      assert.strictEqual((yield* Effect.flip(request("draw", {}, options))).delivery, "not-sent")
      yield* connected(editor)
      const slow = yield* begin(request("draw", {}, options))
      yield* TestClock.adjust(seconds(5))
      assert.strictEqual((yield* failureOf(slow)).reason, "timeout")
      const usual = yield* begin(request("draw", {}, { isRepeatable: false }))
      yield* TestClock.adjust(Duration.millis(29_999))
      assert.isFalse(isOver(usual))
      yield* TestClock.adjust(Duration.millis(1))
      assert.strictEqual((yield* failureOf(usual)).reason, "timeout")
      const lost = yield* begin(request("draw", {}, options))
      yield* settle
      editor.leave()
      const { delivery, reason } = yield* failureOf(lost)
      assert.deepStrictEqual([reason, delivery], ["lost", "unknown"])
    }),
  },
  {
    title: "request sends again, once, what may be repeated and was lost",
    holds: Effect.fnUntraced(function* (editor) {
      const { request } = yield* MessageService
      yield* connected(editor)
      const lost = yield* begin(request("look", {}, { ...options, isRepeatable: true }))
      yield* settle
      for (const _ of [1, 2]) {
        assert.isFalse(isOver(lost))
        editor.leave()
        editor.come()
        yield* TestClock.adjust(seconds(2))
      }
      assert.strictEqual((yield* failureOf(lost)).reason, "lost")
      assert.deepStrictEqual(editor.sent(), ["look", "look"])
    }),
  },
]

export const event: ReadonlyArray<Behaviour> = [
  {
    title: "notices has what the editor reports, in order",
    holds: Effect.fnUntraced(function* (editor) {
      const { notices } = yield* EventService
      yield* connected(editor)
      for (const kind of ["tools-changed", "reloading", "tools-changed"] as const) editor.report(kind)
      const found = yield* Stream.runCollect(Stream.take(notices, 3))
      assert.deepStrictEqual(
        found.map(({ kind }) => kind),
        ["tools-changed", "reloading", "tools-changed"],
      )
    }),
  },
  {
    title: "every reader of toolsChanged has one element for sendToolsChanged, also for one before it came",
    holds: Effect.fnUntraced(function* () {
      const { sendToolsChanged, toolsChanged } = yield* EventService
      let seen = 0
      const read = Stream.runForEach(toolsChanged, () => Effect.sync(() => void seen++))
      yield* Effect.forkScoped(read, { startImmediately: true })
      yield* settle
      assert.strictEqual(seen, 0)
      yield* sendToolsChanged
      yield* settle
      assert.strictEqual(seen, 1)
      yield* Effect.forkScoped(read, { startImmediately: true })
      yield* settle
      assert.strictEqual(seen, 2)
      yield* sendToolsChanged
      yield* settle
      assert.strictEqual(seen, 4)
    }),
  },
]
