import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { binaries } from "../src/RealAgents.ts"

const withCodex = Effect.fnUntraced(function* (turns: ReadonlyArray<ScriptedTurn.ScriptedTurn>) {
  const model = yield* ScriptedModel.make({ turns })
  const { directory, env } = yield* model.codex(undefined, { approvalPolicy: "on-request" })
  const codex = yield* CodexMcpClientAdapter.make({ profile: "native" })
  const config = CodexTransportFactory.native({ command: binaries.codexNative, env, options: { cwd: directory } })
  const session = yield* codex.openSession(config)
  return { model, directory, ask: (content: string) => codex.execute(session, { content }) }
})

const withClaudeCode = Effect.fnUntraced(function* (turns: ReadonlyArray<ScriptedTurn.ScriptedTurn>) {
  const model = yield* ScriptedModel.make({ turns })
  const { directory, env } = yield* model.claudeCode()
  const claude = yield* ClaudeCodeMcpClientAdapter.make({ profile: "native" })
  const config = ClaudeCodeTransportFactory.native({ command: binaries.claudeCode, env, options: { cwd: directory } })
  const session = yield* claude.openSession(config)
  return { model, directory, ask: (content: string) => claude.execute(session, { content }) }
})

describe("the real Codex", () => {
  it.live("asks for an approval, is declined, tells its model why, and answers: no call hangs", () =>
    Effect.gen(function* () {
      const escalated = { cmd: "touch asked", sandbox_permissions: "require_escalated", justification: "May I?" }
      const turns = [ScriptedTurn.toolCall("exec_command", escalated), ScriptedTurn.text("Then I will not.")]
      const { ask, directory, model } = yield* withCodex(turns)
      const answer = yield* ask("Touch a file.")
      assert.deepInclude(answer, { content: "Then I will not.", isError: false })
      const told = (yield* model.requests)
        .at(-1)
        ?.toolResults.map(({ text }) => text)
        .join()
      assert.include(told, "Declined by the policy of this session")
      assert.isFalse(existsSync(join(directory, "asked")))
    }),
  )

  it.live("whose model breaks off in the middle answers with isError", () =>
    Effect.gen(function* () {
      const { ask } = yield* withCodex([ScriptedTurn.droppedStream("half an ans")])
      const answer = yield* ask("Go.")
      assert.isTrue(answer.isError)
      assert.include(answer.content, "stream disconnected")
    }),
  )
})

describe("the real Claude Code", () => {
  it.live("whose model fails after a tool was used says `completed`, and we say isError", () =>
    Effect.gen(function* () {
      const turns = [
        ScriptedTurn.toolCall("Bash", { command: "echo hi", description: "Say hi" }, { text: "First a look." }),
      ]
      const { ask } = yield* withClaudeCode([...turns, ScriptedTurn.httpError(401, { message: "no such key" })])
      const answer = yield* ask("Go.")
      assert.isTrue(answer.isError)
      assert.include(answer.content, "Agent terminated early due to an API error:")
    }),
  )

  it.live("declines a write by itself, and the turn goes on", () =>
    Effect.gen(function* () {
      const turns = [ScriptedTurn.toolCall("Bash", { command: "touch asked", description: "Touch" })]
      const { ask, directory } = yield* withClaudeCode([...turns, ScriptedTurn.text("It was not allowed.")])
      assert.deepInclude(yield* ask("Touch a file."), { content: "It was not allowed.", isError: false })
      assert.isFalse(existsSync(join(directory, "asked")))
    }),
  )

  it.live("tells what the turn used", () =>
    Effect.gen(function* () {
      const { ask } = yield* withClaudeCode([ScriptedTurn.text("Done.")])
      const { usage } = yield* ask("Go.")
      assert.isAbove(usage?.inputTokens ?? 0, 0)
      assert.isAbove(usage?.outputTokens ?? 0, 0)
    }),
  )
})
