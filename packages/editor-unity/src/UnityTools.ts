/**
 * The 107 tools of Unity, from their rows.
 */

import type { EditorTool, JsonSchema } from "@zain/editor-link/domain/Catalogue"
import type { Language } from "@zain/editor-link/domain/Language"
import * as ToolSelection from "@zain/editor-link/domain/ToolSelection"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as LongWork from "./LongWork.ts"
import * as PlayMode from "./PlayMode.ts"
import * as Screenshots from "./Screenshots.ts"
import { type ToolRow, toolRows } from "./ToolRows.ts"
import * as UnityCalls from "./UnityCalls.ts"

type Run = NonNullable<EditorTool["run"]>

/** What `input_system_control` does, which Unity has as commands. */
const inputCommands: Readonly<Record<string, string>> = {
  keyboard: "input_keyboard",
  mouse: "input_mouse",
  gamepad: "input_gamepad",
  touch: "input_touch",
  sequence: "create_input_sequence",
  get_state: "get_current_input_state",
}

/** Tools that are more than a call of Unity. */
const own: Readonly<Record<string, Run>> = {
  get_editor_state: PlayMode.getEditorState,
  playmode_wait_for_state: PlayMode.waitForState,
  play_game: PlayMode.enter("play_game"),
  stop_game: PlayMode.enter("stop_game"),
  run_tests: LongWork.runTests,
  addressables_build: LongWork.blocking("addressables_build"),
  package_manager: LongWork.blocking("package_manager"),
  video_capture_for: LongWork.captureVideo,
  input_system_control: ({ operation, parameters }, context) =>
    UnityCalls.call(inputCommands[String(operation)] ?? "", isRecord(parameters) ? parameters : {}, context),
  analyze_screenshot: Screenshots.analyze,
}

/** Tools on C# files. The parser is loaded with the first call. */
const script =
  (name: string): Run =>
  (args, context) =>
    Effect.flatMap(
      Effect.promise(() => import("./scripts/ScriptTools.ts")),
      ({ ScriptTools }) => (ScriptTools[name] as Run)(args, context),
    )

/** Actions that change nothing, of tools that have others too. */
const readingAction = /^(get|list|find|analyze|validate)|^(search|info|recommend)$/

let reader: typeof import("./UnityArguments.ts") | undefined

/** Validates arguments. The validator is loaded with the first call. */
const read = (schema: JsonSchema, args: unknown): ReturnType<EditorTool["read"]> =>
  reader?.read(schema, args) ??
  import("./UnityArguments.ts").then((module) => {
    reader = module
    return reader.read(schema, args)
  })

const toolOf = (row: ToolRow, language: Language, all: () => ReadonlyArray<EditorTool>): EditorTool => {
  const { category, destructive = false, inputSchema, name, scope } = row
  const search = name === ToolSelection.searchName ? ToolSelection.search(all) : undefined
  const run = category === "script" ? script(name) : (search ?? own[name])
  return {
    name,
    category,
    description: language === "ja" ? row.ja : row.description,
    inputSchema,
    annotations: { readOnlyHint: scope === "read", destructiveHint: destructive, idempotentHint: scope === "read" },
    scopeOf: ({ action, operation }) => {
      const chosen = action ?? operation
      return typeof chosen === "string" && readingAction.test(chosen) ? "read" : scope
    },
    read: (args) => read(inputSchema, args),
    run: run ?? ((args, context) => UnityCalls.call(name, args, context)),
  }
}

/** @param language of descriptions */
export const toolsIn = (language: Language): ReadonlyArray<EditorTool> => {
  const tools: ReadonlyArray<EditorTool> = toolRows.map((row) => toolOf(row, language, () => tools))
  return tools
}

export const unityTools = toolsIn("en")

/** Categories in the order in which they are left out where a client takes fewer tools. */
export const leftOut: ReadonlyArray<string> = [
  "addressables",
  "video",
  "profiler",
  "package",
  "settings",
  "input",
  "ui",
].concat(["menu", "analysis", "script", "asset"])
