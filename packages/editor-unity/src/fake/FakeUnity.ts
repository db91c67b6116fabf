/**
 * A fake of Unity with the package of `unity`: commands of JSON, each after its length.
 */

import { type CommonFault, commonFaults, Faults } from "@zain/editor-link/fake/EditorFault"
import * as FakeEditor from "@zain/editor-link/fake/FakeEditor"
import type { Exchange, FakeProtocol } from "@zain/editor-link/fake/FakeProtocol"
import * as Wire from "@zain/editor-link/fake/LengthPrefixWire"
import { isDeeper } from "@zain/editor-link/fake/Params"
import { isRecord } from "@zain/process/JsonRpc"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { commandNames } from "./CommandNames.ts"
import { editorCommands } from "./EditorCommands.ts"
import { sceneCommands } from "./SceneCommands.ts"
import { envelope, unreadable, variants, variantsOf } from "./UnityEnvelope.ts"
import { UnityState } from "./UnityState.ts"

/**
 * The faults that this protocol has beside those of every fake: the shapes of its answers, and `reload-in-play`: the
 * connections are lost when play mode begins or ends, and the editor listens again at once.
 */
const ownFaults = ["reload-in-play", ...variants] as const

export type UnityFault = CommonFault | (typeof ownFaults)[number]
export const unityFaults: ReadonlyArray<UnityFault> = [...commonFaults, ...ownFaults]

/** How deep JSON may be that Unity reads. */
const maxDepth = 64

/** What Unity refuses in play mode. */
const notInPlayMode = new Set(
  ["create_gameobject", "modify_gameobject", "delete_gameobject", "create_scene", "load_scene", "save_scene"].concat([
    "manage_asset_database",
    "analyze_asset_dependencies",
    "package_manager",
    "registry_config",
    "update_project_settings",
  ]),
)

/** Starts it; it ends with the Scope. Fails where it cannot listen. */
export const start = Effect.fnUntraced(function* (
  options: FakeEditor.FakeOptions<UnityFault> = {},
): Effect.fn.Return<FakeEditor.FakeEditor<UnityFault>, Error, Scope.Scope> {
  const faults = new Faults()
  const run = yield* FiberSet.makeRuntime()
  const state: UnityState = new UnityState({
    project: () =>
      faults.take("wrong-project") ? FakeEditor.wrongProject : (options.project ?? FakeEditor.usualProject),
    later: (milliseconds, action) => void run(Effect.delay(Effect.sync(action), milliseconds)),
    playChanged: () => {
      const { reload, reopen } = editor.control
      if (faults.take("reload-in-play")) run(Effect.andThen(reload, Effect.ignore(reopen)))
    },
    quit: () => void run(editor.control.quit),
  })
  const editor: FakeEditor.FakeEditor<UnityFault> = yield* FakeEditor.listen(protocolOf(state), faults, options)
  return editor
})

const protocolOf = (state: UnityState): FakeProtocol => {
  let known = new Set(commandNames)
  const aside = () => JSON.stringify({ status: "success", message: "pong", timestamp: new Date().toISOString() })

  const answerTo = (id: string | null, type: string, params: unknown) => {
    const failure = (error: string, code: string) => ({ id, status: "error", error, code, details: { command: type } })
    if (!known.has(type)) return failure(`Unknown command: ${type}`, "UNKNOWN_COMMAND")
    if (!isRecord(params)) return failure("Object reference not set: params", "INTERNAL_ERROR")
    if (state.isPlaying && notInPlayMode.has(type)) {
      return failure(`${type} is not possible in play mode`, "PLAY_MODE_BLOCKED")
    }
    const result = commands.get(type)?.(params, state) ?? { success: true, command: type, parameters: params }
    return envelope(id, result, state)
  }

  const exchanged = (id: string | null, type: string, answer: unknown): Exchange => {
    const succeed = (result: unknown, of = id) => JSON.stringify(envelope(of, result, state))
    return {
      isGreeting: type === "get_editor_info",
      answer: JSON.stringify(answer),
      succeed,
      stranger: succeed({ message: "of another call" }, "0"),
      unreadable: JSON.stringify(badJson),
      variants: variantsOf(id, state),
    }
  }

  return {
    ...Wire,
    noise: Buffer.from("[unity-mcp-server] a line of a log\n[Unity MCP Server] another\n[Unity] and one more\n"),
    isShared: true,
    aside,
    beside: (text) => (text.trim().toLowerCase() === "ping" ? aside() : undefined),
    setTools: (tools) => {
      known = new Set(tools.map(({ name }) => name))
      return undefined
    },
    exchange: (request) => {
      if (request === null) return exchanged(null, "", unreadable("Invalid command format", "PARSE_ERROR"))
      if (!isRecord(request) || isDeeper(request, maxDepth)) return exchanged(null, "", badJson)
      const id = request["id"] === undefined || request["id"] === null ? null : String(request["id"])
      const type = typeof request["type"] === "string" ? request["type"].toLowerCase() : ""
      return exchanged(id, type, answerTo(id, type, request["params"]))
    },
  }
}

const badJson = unreadable("JSON parsing error: Unexpected character", "JSON_ERROR")

const commands = new Map(Object.entries({ ...sceneCommands, ...editorCommands }))
