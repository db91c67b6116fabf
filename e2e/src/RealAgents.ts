/**
 * The real binaries, as this repository pins them, in front of scripted models and in private homes.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as OwnProcesses from "./OwnProcesses.ts"

/** The pinned binaries. `codexNative` is the last Codex with an MCP server of its own. */
export const binaries = {
  codex: fileURLToPath(new URL("../node_modules/.bin/codex", import.meta.url)),
  codexNative: fileURLToPath(new URL("../node_modules/codex-native/bin/codex.js", import.meta.url)),
  claudeCode: fileURLToPath(new URL("../node_modules/.bin/claude", import.meta.url)),
}

/**
 * Both agents in one private home. Its processes end with the Scope.
 *
 * - `work`: where commands are started
 * - `alive`: the processes that live in this home
 */
export const makeHome = Effect.fnUntraced(function* (options: ScriptedModel.ScriptedModelOptions = {}) {
  const model = yield* ScriptedModel.make(options)
  const codex = yield* model.codex()
  const { directory } = codex
  const claudeCode = yield* model.claudeCode(directory)
  const work = join(directory, "work")
  yield* Effect.promise(() => mkdir(work))
  const alive = () => OwnProcesses.withEnvironment(directory)
  yield* Effect.addFinalizer(() => Effect.sync(() => alive().forEach(OwnProcesses.kill)))
  return { model, directory, work, env: { ...claudeCode.env, ...codex.env }, alive }
})
