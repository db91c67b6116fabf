/** What the real Codex runs if its model gives two calls one id. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { type Place, place } from "../../src/AgentServers.ts"
import * as CodexCalls from "../../src/CodexCalls.ts"
import * as OfficialClient from "../../src/OfficialClient.ts"

/** A prompt: calls of one answer of the model, each under its id. */
type Calls = ReadonlyArray<readonly [id: string, args: ScriptedTurn.ToolCall["arguments"]]>

const respond = ({ toolResults, userMessages }: ModelRequest.ModelRequest): ScriptedTurn.ScriptedTurn => {
  if (toolResults.length > 0) return ScriptedTurn.text("Done.")
  const calls = JSON.parse(userMessages.at(-1) ?? "[]") as Calls
  return ScriptedTurn.toolCalls(calls.map(([callId, args]) => ScriptedTurn.toolCall("exec_command", args, { callId })))
}

/** A client that approves everything without `outside`, immediately. */
const connect = (at: Place) =>
  OfficialClient.connect(at, { front: "stdio" }, ({ message }) => ({
    action: message.includes("outside") ? "decline" : "accept",
  }))

const unknown = { tools: [] }
const touch = (path: string) => CodexCalls.run(unknown, `touch ${path}`).arguments
const patch = (path: string) => CodexCalls.write(unknown, path, "text").arguments

describe("two calls with one id in the real codex (attack: an id that comes twice)", () => {
  const tries = 5

  test.live.each([
    ["commands", touch],
    ["patches", patch],
  ] as const)("run neither where one is declined; the turn ends and says why: %s", function* ([_, call]) {
    const at = yield* place("codex", { respond })
    const { work } = at
    const { start } = yield* connect(at)
    // An attempt is recognised by its paths: declined ones write to the home, which only a command outside the sandbox may do.
    const prompt = (ids: readonly [string, string], n: number) =>
      JSON.stringify([
        [ids[0], call(join(work, `inside-${n}`))],
        [ids[1], call(join(at.directory, `outside-${n}`))],
      ] satisfies Calls)
    const options = { cwd: work, sandbox: "read-only" }
    for (let n = 0; n < tries; n++) {
      const { content, isError } = yield* start(prompt(["one", "one"], n), options)
      assert.isTrue(isError, content)
      assert.include(content, "Codex used the id")
      assert.isFalse(existsSync(join(at.directory, `outside-${n}`)), "declined, and it ran")
      assert.isFalse(existsSync(join(work, `inside-${n}`)), "both are declined")
    }
    const control = yield* start(prompt(["one", "other"], tries), options)
    assert.deepInclude(control, { content: "Done.", isError: false })
    assert.isTrue(existsSync(join(work, `inside-${tries}`)))
    assert.isFalse(existsSync(join(at.directory, `outside-${tries}`)))
  })
})
