/** What the model of the real Codex receives when its user declines (approval.reason). */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { place } from "../src/AgentServers.ts"
import * as CodexCalls from "../src/CodexCalls.ts"
import * as Everything from "../src/Everything.ts"
import * as OwnClient from "../src/OwnClient.ts"

type Declined = "command" | "patch" | "tool"

const calls = {
  command: (request: ModelRequest.ModelRequest) => CodexCalls.run(request, "touch declined"),
  patch: (request: ModelRequest.ModelRequest) => CodexCalls.write(request, "declined", "text"),
  tool: (request: ModelRequest.ModelRequest) => CodexCalls.call(request, "mcp__everything.gzip_file_as_resource", {}),
}

/** A prompt: the action that requires approval. */
const respond = (request: ModelRequest.ModelRequest) => {
  const what = request.userMessages.find((message) => Object.hasOwn(calls, message)) as Declined
  const result = request.toolResults.at(-1)?.text
  if (result === undefined) return calls[what](request)
  // A program still runs when it took long, or when the user spoke before it ended.
  const cell = /cell ID (\d+)/.exec(result)?.[1]
  if (cell !== undefined) return ScriptedTurn.toolCall("wait", { cell_id: cell })
  // A model thinks, and is asked again with what comes meanwhile.
  const isTold = request.userMessages.some((message) => message.includes("was declined"))
  return ScriptedTurn.text("Understood.", { chunks: 1, pause: isTold ? 0 : 2_000 })
}

/** Without `required`, a turn that has waited for the server for a second runs without its tools. */
const config = {
  mcp_servers: { everything: { command: process.execPath, args: [Everything.program, "stdio"], required: true } },
}

/** Every action with models that write programs, a command with each kind, and a patch by the tool for patches. */
const cases = Object.entries(CodexCalls.models)
  .flatMap(([kind, model]) => (["command", "patch", "tool"] as const).map((what) => ({ kind, model, what })))
  .filter(({ kind, what }) => kind === "code" || what === "command" || (kind === "tools" && what === "patch"))

describe("a decline in the real Codex", () => {
  test.live.each(cases)(
    "of a $what reaches the model ($kind): the rejection, and the reason after the call",
    function* ({ model, what }) {
      const at = yield* place("codex", { model, respond, config })
      const reason = "Not on a Sunday."
      const client = yield* OwnClient.adapter("codex", { ask: () => ({ decline: reason }) })
      const session = yield* client.openSession(OwnClient.config(at))
      const { content, events, isError } = yield* OwnClient.ask(client, session, what)
      assert.deepStrictEqual({ content, isError }, { content: "Understood.", isError: false })
      assert.isFalse(existsSync(join(at.directory, "declined")))
      const [said] = (yield* at.model.requests).slice(-1)
      assert.isDefined(said)
      const { input } = said.body as { readonly input: ReadonlyArray<Record<string, unknown>> }
      const outputs = input.filter(({ type }) => String(type).endsWith("_call_output"))
      const received = input.findIndex((item) => JSON.stringify(item).includes(reason))
      assert.match(JSON.stringify(outputs), /reject/i)
      assert.isAbove(received, input.indexOf(outputs[0] ?? {}))
      assert.strictEqual(input[received]?.["role"], "user")
      assert.match(
        said.userMessages.at(-1) ?? "",
        /^`.*(declined|gzip-file-as-resource).*` was declined: Not on a Sunday\.$/,
      )
      const messages = events.filter(({ _tag }) => _tag === "Message")
      assert.lengthOf(messages, 1)
    },
  )
})
