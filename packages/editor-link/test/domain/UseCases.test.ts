import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber, Result, Stream } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { EventService } from "../../src/application/EventService.ts"
import { ToolQueryService } from "../../src/application/ToolQueryService.ts"
import * as HandleConnectionLost from "../../src/application/use-cases/HandleConnectionLost.ts"
import * as InitializeServer from "../../src/application/use-cases/InitializeServer.ts"
import * as ProcessNotification from "../../src/application/use-cases/ProcessNotification.ts"
import * as RefreshTools from "../../src/application/use-cases/RefreshTools.ts"
import type { Notice } from "../../src/domain/EditorProfile.ts"
import * as Calls from "../../testing/domain/Calls.ts"
import { seconds, settle } from "../../testing/domain/Calls.ts"
import { type Setting, usual } from "../../testing/domain/Setting.ts"
import * as FakeServices from "./FakeServices.ts"

const impatient = { name: "Impatient", asksAgain: false, max: 2 }

/** The fake editor, its services, and how often clients were notified that the tools changed. */
const start = Effect.fnUntraced(function* (setting: Partial<Setting> = {}) {
  const { controls: editor, services } = yield* FakeServices.make({ ...usual, ...setting })
  const provided = <A, E>(effect: Effect.Effect<A, E, FakeServices.AllServices>) =>
    Effect.provideContext(effect, services)
  const begin = <A, E>(effect: Effect.Effect<A, E, FakeServices.AllServices>) => Calls.begin(provided(effect))
  const seen = { changes: 0 }
  yield* Effect.forkScoped(
    provided(
      Effect.flatMap(EventService, ({ toolsChanged }) =>
        Stream.runForEach(toolsChanged, () => Effect.sync(() => void seen.changes++)),
      ),
    ),
    { startImmediately: true },
  )
  const names = provided(Effect.flatMap(ToolQueryService, ({ getAllTools }) => getAllTools)).pipe(
    Effect.map((tools) => tools.map(({ name }) => name)),
  )
  return { begin, editor, names, provided, seen }
})
const found = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name)
/** The editor is there, connected to, and lists these tools from now on. */
const connected = Effect.fnUntraced(function* (tools: ReadonlyArray<string>, later = tools) {
  const begun = yield* start()
  begun.editor.come({ tools })
  yield* begun.provided(InitializeServer.execute({ connectWait: seconds(0), syncWait: seconds(0), isKnown: false }))
  begun.editor.reply = () => Result.succeed(later)
  return begun
})

describe("InitializeServer", () => {
  const request = { connectWait: seconds(2), syncWait: seconds(8), isKnown: false }
  const nothing = { isConnected: false, tools: [] }

  for (const client of [usual.client, impatient]) {
    test(`${client.name} is answered at once where the editor refuses, which is looked for (editors 000.5, 000.20)`, function* () {
      const { editor, names, provided } = yield* start({ client })
      assert.deepStrictEqual(yield* provided(InitializeServer.execute(request)), nothing)
      editor.come({ tools: ["a"] })
      assert.deepStrictEqual([editor.connections(), yield* names], [1, ["a"]])
    })
  }

  test("a client that asks again waits 2 s for a connection that is being made (editors 000.5, 000.20)", function* () {
    const { begin, editor } = yield* start()
    editor.stall()
    const [late, begun] = [
      yield* begin(InitializeServer.execute(request)),
      yield* begin(InitializeServer.execute({ ...request, connectWait: seconds(4) })),
    ]
    yield* TestClock.adjust(Duration.millis(1_999))
    assert.isUndefined(late.pollUnsafe())
    yield* TestClock.adjust(Duration.millis(1))
    assert.deepStrictEqual(yield* Fiber.join(late), Result.succeed(nothing))
    editor.come({ tools: ["a"] })
    assert.deepStrictEqual(found(Result.getOrThrow(yield* Fiber.join(begun)).tools), ["a"])
  })

  test("a client that does not ask again waits for the editor, and has as many tools as it takes (editors 000.20)", function* () {
    const { begin, editor } = yield* start({ client: impatient })
    editor.stall()
    const begun = yield* begin(InitializeServer.execute(request))
    yield* TestClock.adjust(seconds(5))
    assert.isUndefined(begun.pollUnsafe())
    editor.come({ tools: ["a", "b", "c"] })
    const { isConnected, tools } = Result.getOrThrow(yield* Fiber.join(begun))
    assert.deepStrictEqual([isConnected, found(tools)], [true, ["a", "b"]])
  })

  test("it waits no longer than it is allowed to, and not at all where the tools are known (editors 000.20)", function* () {
    const { begin, editor, provided } = yield* start({ client: impatient })
    editor.stall()
    yield* provided(InitializeServer.execute({ ...request, isKnown: true }))
    const begun = yield* begin(InitializeServer.execute(request))
    yield* TestClock.adjust(seconds(8))
    assert.deepStrictEqual(yield* Fiber.join(begun), Result.succeed(nothing))
  })
})

describe("RefreshTools", () => {
  test("the tools are those that the editor lists now, and clients are notified after that (editors 000.20)", function* () {
    const { begin, editor, provided, seen } = yield* connected(["a"])
    editor.reply = () => undefined
    const begun = yield* begin(RefreshTools.execute)
    yield* settle
    assert.strictEqual(seen.changes, 0)
    editor.answer(Result.succeed(["a", "b"]))
    assert.deepStrictEqual(found(Result.getOrThrow(yield* Fiber.join(begun)).tools), ["a", "b"])
    yield* settle
    assert.strictEqual(seen.changes, 1)
    editor.leave("quitting")
    assert.strictEqual((yield* Effect.flip(provided(RefreshTools.execute))).delivery, "not-sent")
    assert.strictEqual(seen.changes, 1)
  })
})

describe("ProcessNotification", () => {
  const kinds: ReadonlyArray<readonly [Notice["kind"], ReadonlyArray<string>]> = [
    ["tools-changed", ["b"]],
    ["reloading", ["a"]],
    ["quitting", ["a"]],
  ]
  for (const [kind, after] of kinds) {
    test(`${kind} leaves the tools ${after.join()} where the editor had a and lists b (editors 000.20)`, function* () {
      const { names, provided } = yield* connected(["a"], ["b"])
      yield* provided(ProcessNotification.execute({ notice: { _tag: "Notice", kind } }))
      assert.deepStrictEqual(yield* names, after)
    })
  }
})

describe("HandleConnectionLost", () => {
  test("the tools stay until the grace has passed; then they are cleared and clients notified (editors 000.20)", function* () {
    const { begin, editor, names, seen } = yield* connected(["a"])
    editor.leave()
    yield* begin(HandleConnectionLost.execute({ isCleared: true }))
    yield* TestClock.adjust(Duration.millis(19_999))
    assert.deepStrictEqual([yield* names, seen.changes], [["a"], 0])
    yield* TestClock.adjust(Duration.millis(1))
    assert.deepStrictEqual([yield* names, seen.changes], [[], 1])
  })

  test("the editor is looked for at once, and tools that are not cleared stay (editors 000.20)", function* () {
    const { editor, names, provided, seen } = yield* start()
    editor.come({ tools: ["a"] })
    yield* provided(HandleConnectionLost.execute({ isCleared: false }))
    assert.deepStrictEqual([editor.connections(), yield* names, seen.changes], [1, ["a"], 0])
  })
})
