/** Tools of a session's own with the real agents, where the contract suite cannot look: names, modes and large results. */
import { assert, describe } from "@effect/vitest"
import { McpTool } from "@zain/core"
import { ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { type AgentName, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const callId = "call_own"

/** What the model reads of a tool that it calls by the name under which it is offered. */
const read = Effect.fnUntraced(function* (agent: AgentName, name: string, text: string, providerOptions = {}) {
  const at = yield* place(agent, {
    respond: ({ toolResults, tools }) => {
      const result = toolResults.find((one) => one.callId === callId)
      const offered = tools.find((one) => /^(?:zain\.|mcp__zain-)/.test(one) && one.endsWith(name))
      return result === undefined && offered !== undefined
        ? { ...ScriptedTurn.toolCall(offered, {}), callId }
        : ScriptedTurn.text("Done.")
    },
  })
  const client = yield* OwnClient.adapter(agent)
  const config = OwnClient.config(at)
  const tool = McpTool.make({ name, description: "Mine.", input: { type: "object" }, run: () => text })
  const session = yield* client.openSession(OwnClient.adding({ ...config, tools: [tool] }, providerOptions))
  yield* client.execute(session, { content: "Use it." })
  return (yield* at.model.requests).at(-1)?.toolResults.find((one) => one.callId === callId)?.text
})

describe("a tool of the session's own, with the real agents", () => {
  const large = "word ".repeat(40_000).trim()

  test.live.each([
    ["codex", "exec_command", {}, "mine"],
    ["claude-code", "Bash", { permissionMode: "dontAsk" }, "mine"],
    ["claude-code", "add", { permissionMode: "plan" }, large],
  ] as const)(
    "is called where another tool has its name, and in a mode that declines others, and Claude Code's model reads 200 KiB whole: %s, %s, %j",
    function* ([agent, name, options, text]) {
      assert.strictEqual(yield* read(agent, name, text, options), text)
    },
  )
})
