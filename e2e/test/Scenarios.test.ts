import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

/** The answer of Claude Code's own MCP server, whose model makes these turns. */
const answer = Effect.fnUntraced(function* (...turns: ReadonlyArray<ScriptedTurn.ScriptedTurn>) {
  const respond = ({ toolResults }: ModelRequest.ModelRequest) => turns[toolResults.length] ?? ScriptedTurn.hang
  const at = yield* place("claude-code", { respond })
  const client = yield* OwnClient.adapter("claude-code", undefined, "native")
  const session = yield* client.openSession(OwnClient.native["claude-code"](at))
  return yield* client.execute(session, { content: "Go." })
})

describe("the real Claude Code", () => {
  test.live(
    "reports `completed` when its model fails after a tool was used, and the response has isError",
    function* () {
      const command = { command: "echo hi", description: "Say hi" }
      const look = ScriptedTurn.toolCall("Bash", command, { text: "First a look." })
      const { content, isError } = yield* answer(look, ScriptedTurn.httpError(401, { message: "no such key" }))
      assert.isTrue(isError)
      assert.include(content, "Agent terminated early due to an API error:")
    },
  )
})
