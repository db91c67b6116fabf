/**
 * The two agents of the demo: the pinned binaries in front of scripted models, or the user's own.
 */
import { fileURLToPath } from "node:url"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import type { McpClientAdapter, McpConnectionConfig } from "@zain/core"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** One agent: how to make its client, and how to reach it. */
export interface Agent {
  readonly make: Effect.Effect<McpClientAdapter.McpClientAdapter, never, Scope.Scope>
  readonly config: McpConnectionConfig.McpConnectionConfig
}

const agents = (
  codex: CodexTransportFactory.NativeOptions,
  claudeCode: ClaudeCodeTransportFactory.NativeOptions,
): ReadonlyArray<Agent> => [
  { make: CodexMcpClientAdapter.make(), config: CodexTransportFactory.native(codex) },
  { make: ClaudeCodeMcpClientAdapter.make(), config: ClaudeCodeTransportFactory.native(claudeCode) },
]

/** The user's own agents, with the user's own logins. */
export const live = agents({ options: { sandbox: "read-only", approvalPolicy: "never" } }, {})

const binary = (path: string) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))

const wordOf = (message: string) => /Remember this word: (\w+)/.exec(message)?.[1]

/** Plays the model. It knows only what is in the request, so it knows the word only if the agent sent it again. */
const respond = ({ userMessages }: { readonly userMessages: ReadonlyArray<string> }) => {
  const word = userMessages.map(wordOf).findLast((found) => found !== undefined)
  if (wordOf(userMessages.at(-1) ?? "") !== undefined) return ScriptedTurn.text("I will remember it.")
  return ScriptedTurn.text(word === undefined ? "I know of no word." : `The word was ${word}.`)
}

/** The pinned binaries, each in a private home, in front of a scripted model. */
export const scripted = Effect.gen(function* () {
  const model = yield* ScriptedModel.make({ respond })
  const codex = yield* model.codex()
  const claudeCode = yield* model.claudeCode()
  return agents(
    { command: binary("codex-native/bin/codex.js"), env: codex.env, cwd: codex.directory },
    { command: binary(".bin/claude"), env: claudeCode.env, cwd: claudeCode.directory },
  )
})
