/**
 * The two agents of the example: the pinned binaries, each in a private home and an empty directory, in front of a
 * scripted model. With your own logins, `{ options }` is all that is needed.
 */
import { fileURLToPath } from "node:url"
import { ScriptedModel } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import * as Model from "./Model.ts"

const binary = (name: string) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

/**
 * What the transport factories take: which program, where, and what it may do. Both only answer. Claude Code puts the files
 * that a document mentions as `@path` into its prompt by itself, before any tool; only a rule for all paths keeps it from
 * that.
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
