import { assert, describe } from "@effect/vitest"
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { test } from "../../packages/core/test/Test.ts"
import { binaries } from "../src/RealAgents.ts"

const withClaudeCode = Effect.fnUntraced(function* (turns: ReadonlyArray<ScriptedTurn.ScriptedTurn>) {
  const model = yield* ScriptedModel.make({ turns })
  const { directory, env } = yield* model.claudeCode()
  const claude = yield* ClaudeCodeMcpClientAdapter.make({ profile: "native" })
  const config = ClaudeCodeTransportFactory.native({ command: binaries.claudeCode, env, options: { cwd: directory } })
  const session = yield* claude.openSession(config)
  return { ask: (content: string) => claude.execute(session, { content }) }
})

describe("the real Claude Code", () => {
  test.live("whose model fails after a tool was used says `completed`, and we say isError", function* () {
    const turns = [
      ScriptedTurn.toolCall("Bash", { command: "echo hi", description: "Say hi" }, { text: "First a look." }),
    ]
    const { ask } = yield* withClaudeCode([...turns, ScriptedTurn.httpError(401, { message: "no such key" })])
    const answer = yield* ask("Go.")
    assert.isTrue(answer.isError)
    assert.include(answer.content, "Agent terminated early due to an API error:")
  })

  test.live("tells what the turn used", function* () {
    const { ask } = yield* withClaudeCode([ScriptedTurn.text("Done.")])
    const { usage } = yield* ask("Go.")
    assert.isAbove(usage?.inputTokens ?? 0, 0)
    assert.isAbove(usage?.outputTokens ?? 0, 0)
  })
})
