import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Duration, Effect, Fiber, Result } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { ToolQueryService } from "../../src/application/ToolQueryService.ts"
import * as ExecuteTool from "../../src/application/use-cases/ExecuteTool.ts"
import type { EditorTool } from "../../src/domain/Catalogue.ts"
import type { ProfileCatalogue } from "../../src/domain/EditorProfile.ts"
import type { ExecuteToolRequest } from "../../src/domain/models/Requests.ts"
import * as OperationResult from "../../src/domain/OperationResult.ts"
import { dynamic, fixed, tool, usual } from "../../testing/domain/Setting.ts"
import * as FakeServices from "./FakeServices.ts"

const start = Effect.fnUntraced(function* (catalogue: ProfileCatalogue) {
  const { controls: editor, services } = yield* FakeServices.make({ ...usual, catalogue })
  const profile: Parameters<typeof ExecuteTool.execute>[0] = {
    title: "The editor",
    catalogue,
    timeoutOf: () => Duration.seconds(7),
    result: (answer) =>
      answer === "broken"
        ? Result.fail({ message: "it broke", reason: "editor", code: "BROKEN" })
        : Result.succeed(OperationResult.make(answer)),
  }
  const progress: Array<string> = []
  const call = (name: string, more: Partial<ExecuteToolRequest> = {}) =>
    ExecuteTool.execute(profile, {
      name,
      arguments: {},
      longTimeout: Duration.minutes(15),
      sample: () => undefined,
      progress: (text) => void progress.push(text),
      log: () => {},
      ...more,
    }).pipe(
      Effect.map(({ result }) => result.content),
      Effect.provideContext(services),
    )
  const names = Effect.flatMap(ToolQueryService, ({ getAllTools }) => getAllTools).pipe(
    Effect.map((tools) => tools.map(({ name }) => name)),
    Effect.provideContext(services),
  )
  return { call, editor, names, progress }
})
const text = (value: string) => [OperationResult.text(value)]

describe("ExecuteTool", () => {
  test("a call is sent by the tool's name, and its result is the editor's answer (editors 000.20)", function* () {
    const { call, editor } = yield* start(dynamic)
    editor.come({ tools: ["look"] })
    editor.reply = () => Result.succeed("seen")
    assert.deepStrictEqual(yield* call("look"), text("seen"))
    assert.deepStrictEqual(editor.sent(), ["look"])
  })

  test("a dynamic list is asked after the connection; a fixed one before, with the arguments (editors 000.20)", function* () {
    const reasons = Effect.fnUntraced(function* (catalogue: ProfileCatalogue) {
      const { call } = yield* start(catalogue)
      const calls = [call("lok"), call("look", { arguments: { x: 1 } }), call("look")]
      return yield* Effect.forEach(calls, (one) => Effect.map(Effect.flip(one), ({ reason }) => reason))
    })
    assert.deepStrictEqual(yield* reasons(dynamic), ["refused", "refused", "refused"])
    assert.deepStrictEqual(yield* reasons(fixed), ["unknown-tool", "arguments", "refused"])
  })

  test("an unknown tool and wrong arguments are not sent, and the failure says what is near or wrong (editors 000.20)", function* () {
    const { call, editor } = yield* start(fixed)
    editor.come()
    assert.include((yield* Effect.flip(call("loook"))).message, "Similar names: look.")
    assert.include((yield* Effect.flip(call("look", { arguments: { x: 1 } }))).message, "look: /: has no parameters")
    assert.deepStrictEqual(editor.sent(), [])
  })

  test("a failure inside a success is a failure, with the editor's code (editors 000.20)", function* () {
    const { call, editor } = yield* start(fixed)
    editor.come()
    editor.reply = () => Result.succeed("broken")
    const { code, delivery, message } = yield* Effect.flip(call("draw"))
    assert.deepStrictEqual([message, code, delivery], ["it broke", "BROKEN", "answered"])
  })

  test("a tool that the editor does not know leaves a fixed list, and no other failure takes one away (editors 000.20)", function* () {
    const { call, editor, names } = yield* start(fixed)
    editor.come()
    editor.reply = (method) =>
      Result.fail({ message: "no", reason: "editor", code: method === "draw" ? "WHAT" : "OTHER" })
    yield* Effect.flip(call("look"))
    assert.deepStrictEqual(yield* names, ["look", "draw"])
    yield* Effect.flip(call("draw"))
    assert.deepStrictEqual(yield* names, ["look"])
  })

  test("only a call of scope read is sent again when the editor was lost (editors 000.20)", function* () {
    const { call, editor } = yield* start(fixed)
    editor.come()
    const calls = yield* Effect.forEach(["look", "draw"], (name) =>
      Effect.forkChild(Effect.result(call(name)), { startImmediately: true }),
    )
    yield* TestClock.adjust(0)
    editor.reply = () => Result.succeed("back")
    editor.leave()
    editor.come()
    const outcomes = yield* Effect.forEach(calls, Fiber.join)
    assert.deepStrictEqual(outcomes.map(Result.isSuccess), [true, false])
    assert.deepStrictEqual(editor.sent(), ["look", "draw", "look"])
  })

  test("a tool with code of its own asks the editor, reports progress and has the project (editors 000.20)", function* () {
    const run: EditorTool["run"] = (_, { progress, project, send }) =>
      Effect.gen(function* () {
        progress("half")
        const [first, second] = [yield* send("one", {}), yield* send("two", {})]
        return OperationResult.make(`${yield* project} ${first} ${second}`)
      })
    const { call, editor, progress } = yield* start({ ...fixed, tools: [tool("both", { run })] })
    editor.come({ project: "/a" })
    editor.reply = (method) => Result.succeed(method.length)
    assert.deepStrictEqual(yield* call("both"), text("/a 3 3"))
    assert.deepStrictEqual([progress, editor.sent()], [["half"], ["one", "two"]])
  })
})
