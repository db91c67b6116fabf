/** What the real agents say when only their user or time can help: no login, a key that is refused, a limit. */
import { assert, describe } from "@effect/vitest"
import { type FailedTurn, McpConnectionConfig } from "@zain/core"
import { ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { type AgentName, commandLine } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

const claude = { agent: "claude-code", cause: { _tag: "NotLoggedIn", command: "claude auth login" } } as const
const codex = { agent: "codex", cause: { _tag: "NotLoggedIn", command: "codex login" } } as const
const [anthropic, scripted] = ["ANTHROPIC_API_KEY", "SCRIPTED_MODEL_API_KEY"] as const

/** `status`: the model's, 401 by default. `without`: the variable that is taken away. `retries`: the agent asks again and again, until patience ends. */
const cases: ReadonlyArray<{
  readonly agent: AgentName
  readonly what: string
  readonly without?: string
  readonly retries?: boolean
  readonly status?: number
  readonly cause: FailedTurn.FailedTurnCause
}> = [
  { ...claude, what: "is not logged in", without: anthropic },
  { ...claude, what: "is not logged in, and tries its model again and again", without: anthropic, retries: true },
  { ...claude, what: "has a key that is refused" },
  { ...codex, what: "has a key that is refused" },
  { ...codex, what: "tries a key that is refused again and again", retries: true },
  {
    ...codex,
    what: "misses the variable of its model provider",
    without: scripted,
    cause: { _tag: "MissingVariable", variable: scripted },
  },
  { ...claude, what: "asks its model too often, with an API key", status: 429, cause: { _tag: "RateLimited" } },
  { ...codex, what: "asks its model too often, with an API key", status: 429, cause: { _tag: "RateLimited" } },
]

describe("the cause of a failed turn", () => {
  test.live.each(cases)(
    "is reported when the real $agent $what",
    function* ({ agent, cause, retries, status = 401, without }) {
      const refusal = ScriptedTurn.httpError(status, { message: "Missing bearer or basic authentication in header" })
      const model = yield* ScriptedModel.make({ respond: () => refusal })
      const options = { maxRetries: retries ? 5 : 0 }
      const place = yield* agent === "codex" ? model.codex(undefined, options) : model.claudeCode(undefined, options)
      const env = Object.fromEntries(Object.entries(place.env).filter(([name]) => name !== without))
      const line = commandLine(agent, { ...place, env }, "stdio", ["--model-timeout", "1 second"])
      const args =
        without === undefined ? line.args : line.args.filter((arg) => arg !== "--env" && !arg.includes("SCRIPTED"))
      const client = yield* OwnClient.adapter(agent)
      const session = yield* client.openSession(McpConnectionConfig.stdio({ ...line, args, cwd: place.directory }))
      const response = yield* client.execute(session, { content: "Hello" })
      assert.deepStrictEqual(response.cause, cause, response.content)
      if (without !== undefined)
        assert.deepStrictEqual(yield* model.requests, [], "It is said before a model is asked.")
    },
  )
})
