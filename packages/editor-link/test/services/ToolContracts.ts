/**
 * The promises of the services that hold the tools.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { ClientCompatibilityService } from "../../src/application/ClientCompatibilityService.ts"
import { ToolManagementService } from "../../src/application/ToolManagementService.ts"
import { ToolQueryService } from "../../src/application/ToolQueryService.ts"
import { begin, failureOf, settle } from "../../testing/domain/Calls.ts"
import { fixed } from "../../testing/domain/Setting.ts"
import { type Behaviour, connected, toolNames } from "./Behaviour.ts"

export const query: ReadonlyArray<Behaviour> = [
  {
    title: "getAllTools has the editor's tools in its order, and getTool the one of a name, if there is one",
    holds: Effect.fnUntraced(function* (editor) {
      const { getTool } = yield* ToolQueryService
      yield* connected(editor, { tools: ["b", "a"] })
      assert.deepStrictEqual(yield* toolNames, ["b", "a"])
      assert.deepStrictEqual([(yield* getTool("a"))?.name, yield* getTool("c")], ["a", undefined])
    }),
  },
]

export const management: ReadonlyArray<Behaviour> = [
  {
    title: "initializeDynamicTools takes up what the editor listed when it was connected",
    holds: Effect.fnUntraced(function* (editor) {
      const { getAllTools, initializeDynamicTools } = yield* ToolManagementService
      yield* initializeDynamicTools
      assert.deepStrictEqual(yield* getAllTools, [])
      yield* connected(editor, { tools: ["a"] })
      yield* initializeDynamicTools
      assert.deepStrictEqual(yield* toolNames, ["a"])
    }),
  },
  {
    title: "refreshTools has what the editor lists now, and those that are asked for meanwhile are one",
    holds: Effect.fnUntraced(function* (editor) {
      const { refreshTools } = yield* ToolManagementService
      yield* connected(editor, { tools: ["a"] })
      const first = yield* begin(refreshTools)
      yield* settle
      for (const _ of [1, 2, 3]) yield* begin(refreshTools)
      yield* settle
      editor.answer(Result.succeed(["a", "b"]))
      yield* settle
      editor.answer(Result.succeed(["a", "b", "c"]))
      yield* Fiber.join(first)
      assert.deepStrictEqual([editor.sent().length, yield* toolNames], [2, ["a", "b", "c"]])
    }),
  },
  {
    title: "refreshTools keeps the tools where it fails, and works the next time",
    holds: Effect.fnUntraced(function* (editor) {
      const { refreshTools } = yield* ToolManagementService
      yield* connected(editor, { tools: ["a"] })
      const failing = yield* begin(refreshTools)
      yield* settle
      editor.answer(Result.fail({ message: "not now", reason: "editor" }))
      assert.strictEqual((yield* failureOf(failing)).message, "not now")
      assert.deepStrictEqual(yield* toolNames, ["a"])
      const again = yield* begin(refreshTools)
      yield* settle
      editor.answer(Result.succeed(["b"]))
      yield* Fiber.join(again)
      assert.deepStrictEqual(yield* toolNames, ["b"])
    }),
  },
  {
    title: "clearTools takes a dynamic list away until the editor is back",
    holds: Effect.fnUntraced(function* (editor) {
      const { clearTools } = yield* ToolManagementService
      yield* connected(editor, { tools: ["a"] })
      assert.deepStrictEqual(yield* toolNames, ["a"])
      editor.leave()
      yield* clearTools
      assert.deepStrictEqual(yield* toolNames, [])
      yield* connected(editor, { tools: ["b"] })
      assert.deepStrictEqual(yield* toolNames, ["b"])
    }),
  },
  {
    title: "of a fixed list removeTool takes one away until an editor connects anew; clearing and refreshing leave it",
    setting: { catalogue: fixed },
    holds: Effect.fnUntraced(function* (editor) {
      const { clearTools, refreshTools, removeTool } = yield* ToolManagementService
      yield* connected(editor)
      yield* removeTool("draw")
      yield* clearTools
      yield* refreshTools
      assert.deepStrictEqual([yield* toolNames, editor.sent()], [["look"], []])
      editor.leave()
      yield* connected(editor)
      assert.deepStrictEqual(yield* toolNames, ["look", "draw"])
    }),
  },
]

export const compatibility: ReadonlyArray<Behaviour> = [
  {
    title: "a client has its name, its way with changes, and as many tools as it takes",
    setting: { catalogue: fixed, client: { name: "Impatient", asksAgain: false, max: 1 } },
    holds: Effect.fnUntraced(function* () {
      const { asksAgain, clientName, visible } = yield* ClientCompatibilityService
      const { getAllTools } = yield* ToolQueryService
      const shown = visible(yield* getAllTools).map(({ name }) => name)
      assert.deepStrictEqual([clientName, asksAgain, shown], ["Impatient", false, ["look"]])
    }),
  },
]
