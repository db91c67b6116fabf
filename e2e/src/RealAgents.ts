/**
 * The real binaries, as this repository pins them, in front of scripted models and in private homes.
 */
import { fileURLToPath } from "node:url"
import { ScriptedModel } from "@zain/scripted-model"
import type { CodexOptions } from "@zain/scripted-model/CodexEnvironment"

/** The pinned binaries. `codexNative` is the last Codex with an MCP server of its own. */
export const binaries = {
  codex: fileURLToPath(new URL("../node_modules/.bin/codex", import.meta.url)),
  codexNative: fileURLToPath(new URL("../node_modules/codex-native/bin/codex.js", import.meta.url)),
  claudeCode: fileURLToPath(new URL("../node_modules/.bin/claude", import.meta.url)),
}

/** The versions that `--version` must print. */
export const versions = {
  codex: "codex-cli 0.169.0",
  codexNative: "codex-cli 0.153.4",
  claudeCode: "2.1.329 (Claude Code)",
}

/** A scripted model for a whole test file, and the environments of agents that know no other. `options`: of Codex. */
export const startModel = async (
  respond: NonNullable<ScriptedModel.StartOptions["respond"]>,
  options: CodexOptions = {},
) => {
  const model = await ScriptedModel.start({ respond })
  return { model, codex: await model.codex(undefined, options), claudeCode: await model.claudeCode() }
}
