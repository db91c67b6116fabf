/** Which result of the real Claude Code answers a prompt. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { place } from "../src/AgentServers.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Wishes from "../src/Wishes.ts"

const play = Wishes.play("claude-code")

/** Whether Claude Code started the turn itself, as a background command has ended. */
const isUnasked = ({ userMessages }: ModelRequest.ModelRequest) =>
  userMessages.at(-1)?.includes("<task-notification>") === true

/** In a turn of its own, the model reads what comes by the pipe `second`. */
const respond = (request: ModelRequest.ModelRequest) => {
  if (!isUnasked(request)) return play(request)
  return request.toolResults.some(({ callId }) => callId === "second")
    ? ScriptedTurn.text("The answer to nothing.")
    : ScriptedTurn.toolCall("Bash", { command: "cat second" }, { callId: "second" })
}

describe("the answer of the real claude-code to a prompt (docs/concepts/security.md#attacks)", () => {
  test.live(
    "belongs to a turn of its own when the prompt arrives while Claude Code runs a turn by itself",
    function* () {
      const at = yield* place("claude-code", { respond })
      execFileSync("mkfifo", ["first", "second"], { cwd: at.directory })
      const client = yield* OwnClient.adapter("claude-code", { ask: () => "approve" })
      const session = yield* client.openSession(OwnClient.adding(OwnClient.config(at), { background: "keep" }))
      const execute = (content: string) => client.execute(session, { content })
      const { content: received } = yield* execute(
        Wishes.use("Bash", { command: "cat first", run_in_background: true }),
      )
      assert.include(received, "running in background")
      yield* Effect.promise(() => writeFile(join(at.directory, "first"), "one"))
      yield* at.model.awaitRequest(isUnasked)
      const { text } = Wishes.prompt({ _tag: "Say", text: "The answer to you." })
      const answer = yield* Effect.forkChild(execute(text), { startImmediately: true })
      // The server passes the prompt on meanwhile. A later one has the same answer.
      yield* Effect.sleep("300 millis")
      yield* Effect.promise(() => writeFile(join(at.directory, "second"), "two"))
      const { content, isError } = yield* Fiber.join(answer)
      assert.deepStrictEqual({ content, isError }, { content: "The answer to you.", isError: false })
      const last = (yield* at.model.requests).at(-1)
      assert.match(last?.userMessages.at(-1) ?? "", /^⟪.*⟫$/u, "It is a message of the user of its own.")
    },
  )

  test.live("is an error with the reason when a user's hook blocks the prompt", function* () {
    const at = yield* place("claude-code")
    const hooks = [{ hooks: [{ type: "command", command: `echo '{"decision":"block","reason":"Not today."}'` }] }]
    const settings = JSON.stringify({ hooks: { UserPromptSubmit: hooks } })
    writeFileSync(join(at.directory, "claude", "settings.json"), settings)
    const { start } = yield* OfficialClient.connect(at)
    const { content, isError } = yield* start("Hello?")
    assert.include(content, "Not today.")
    assert.isTrue(isError)
    assert.isEmpty(yield* at.model.requests)
  })
})
