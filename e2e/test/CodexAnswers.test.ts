/** The answer of a turn of the real Codex: its last text (promise 34). */
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { place } from "../src/AgentServers.ts"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as OwnClient from "../src/OwnClient.ts"

type Request = ModelRequest.ModelRequest

describe.each(Object.entries(CodexCalls.models))("the answer of the real codex (%s)", (_, model) => {
  test.live("is the text before the last call when no text follows, also a commentary", function* () {
    let phase: object = {}
    const respond = (request: Request) =>
      request.toolResults.length > 0
        ? ScriptedTurn.text("")
        : { ...CodexCalls.call(request, "exec_command", { cmd: "true" }), text: "The answer is 42.", ...phase }
    const at = yield* place("codex", { model, respond })
    const client = yield* OwnClient.adapter("codex")
    for (const next of [{}, { phase: "commentary" }]) {
      phase = next
      const session = yield* client.openSession(OwnClient.config(at))
      const { content, isError } = yield* client.execute(session, { content: "What is it?" })
      assert.deepStrictEqual({ content, isError }, { content: "The answer is 42.", isError: false })
    }
  })

  test.live(
    "is the last text for a goal, for which Codex starts turns by itself, and which ends the turn",
    function* () {
      const respond = (request: Request) =>
        [
          CodexCalls.call(request, "create_goal", { objective: "Win." }),
          ScriptedTurn.text("First."),
          ScriptedTurn.text("Second."),
          CodexCalls.call(request, "update_goal", { status: "complete" }),
        ][request.index] ?? ScriptedTurn.text("Won.")
      const at = yield* place("codex", { model, respond, config: { features: { goals: true } } })
      const client = yield* OwnClient.adapter("codex")
      const session = yield* client.openSession(OwnClient.config(at))
      const { content, usage } = yield* client.execute(session, { content: "Win." })
      assert.strictEqual(content, "Won.")
      const requests = (yield* at.model.requests).length
      assert.strictEqual(requests, 5)
      assert.deepStrictEqual(usage, { inputTokens: 10 * requests, outputTokens: 5 * requests })
    },
  )
})
