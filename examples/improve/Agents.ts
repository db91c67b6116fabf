/**
 * The two agents of the example: the pinned binaries, each in a private home and an empty directory, with a scripted model.
 * For your own agents, pass only `options`.
 */
import { join } from "node:path"
import { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as Model from "./Model.ts"

const binary = (name: string) => join(import.meta.dirname, "../node_modules/.bin", name)

/**
 * The options of both transport factories. The agents may only answer. Claude Code reads files that a prompt mentions as
 * `@path` without using a tool; only a rule for all paths, `Read(//**)`, prevents that.
 */
export const scripted = Effect.gen(function* () {
  const model = yield* ScriptedModel.make({ respond: Model.respond })
  const codex = yield* model.codex()
  const claudeCode = yield* model.claudeCode()
  return {
    codex: {
      command: binary("codex"),
      env: codex.env,
      options: { cwd: codex.directory, sandbox: "read-only", approvalPolicy: "never" },
    },
    claudeCode: {
      command: binary("claude"),
      env: claudeCode.env,
      options: {
        cwd: claudeCode.directory,
        permissionMode: "dontAsk",
        disallowedTools: ["*", "Read(//**)"],
      },
    },
  } as const
})
