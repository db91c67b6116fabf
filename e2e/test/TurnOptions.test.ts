/** Options of one turn of the real agents: each reaches the model, and the next turn has the session's own. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import { type AgentName, place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"

interface Body {
  readonly model: string
  readonly max_tokens?: number
  readonly reasoning?: { readonly effort?: string }
  readonly output_config?: { readonly effort?: string }
}

/** Claude Code asks for one token to learn whether a model exists. */
const isProbe = ({ body }: ModelRequest.ModelRequest) => (body as Body).max_tokens === 1

/** A session, and what a turn with these options does: its outcome, and what the model received. */
const opened = Effect.fnUntraced(function* (agent: AgentName) {
  const at = yield* place(agent, {
    respond: (request) =>
      (request.body as Body).model === "no-such-model"
        ? ScriptedTurn.httpError(404, { message: "There is no such model." })
        : ScriptedTurn.text("Done."),
  })
  for (const name of ["inner", ".vscode"]) mkdirSync(join(at.directory, name))
  const client = yield* OwnClient.adapter(agent)
  const session = yield* client.openSession(OwnClient.config(at))
  let seen = 0
  const turn = Effect.fnUntraced(function* (providerOptions?: object) {
    const request = { content: "Go.", ...(providerOptions === undefined ? {} : { providerOptions }) }
    const outcome = yield* Effect.result(client.execute(session, request))
    const requests = (yield* at.model.requests).slice(seen).filter((one) => !isProbe(one))
    seen = (yield* at.model.requests).length
    const bodies = requests.map(({ body }) => body as Body)
    const reached = bodies.map(({ model, output_config, reasoning }) => [model, (reasoning ?? output_config)?.effort])
    const text = requests.map(({ body }) => JSON.stringify(body)).join("\n")
    return { outcome: outcome._tag === "Success" ? "answered" : outcome.failure.reason, reached, text }
  })
  return { ...at, turn }
})

/** What a turn of each agent has that the options do not change. */
const usual = {
  codex: { effort: undefined, other: "gpt-5.5", effortOfOther: "medium" },
  "claude-code": { effort: "high", other: "claude-sonnet-4-6", effortOfOther: "high" },
} as const

/** Wider than the session's own, or not there. */
const refused: Readonly<Record<AgentName, ReadonlyArray<object>>> = {
  codex: [{ sandbox: "workspace-write" }],
  "claude-code": [{ model: "no-such-model" }, { permissionMode: "acceptEdits" }],
}

describe("options of one turn of the real agents (docs/guides/options-of-one-turn.md)", () => {
  for (const agent of ["codex", "claude-code"] as const) {
    const { effort, effortOfOther, other } = usual[agent]
    const plain = [["scripted-model", effort]]

    test.live(
      `${agent}: a model, an effort and a directory reach the model, and are set back; a wider option is refused`,
      function* () {
        const { directory, turn } = yield* opened(agent)
        const inner = join(directory, "inner")
        const first = yield* turn()
        assert.deepStrictEqual(first.reached, plain)
        assert.notInclude(first.text, inner)
        const each: ReadonlyArray<readonly [options: object, reached: Array<Array<string | undefined>>]> = [
          [{ model: other }, [[other, effortOfOther]]],
          [{ effort: "low" }, [["scripted-model", "low"]]],
          [{ model: other, effort: "low" }, [[other, "low"]]],
        ]
        for (const [options, reached] of each) {
          assert.deepStrictEqual((yield* turn(options)).reached, reached)
          assert.deepStrictEqual((yield* turn()).reached, plain)
        }

        for (const options of [...["..", "/", "missing", ".vscode"].map((cwd) => ({ cwd })), ...refused[agent]]) {
          const { outcome, reached } = yield* turn(options)
          assert.deepStrictEqual([outcome, reached], ["invalid-config", []], JSON.stringify(options))
        }
        if (agent === "codex") {
          assert.strictEqual((yield* turn({ sandbox: "read-only" })).outcome, "answered")
          assert.strictEqual((yield* turn({ maxTurns: 1 })).outcome, "not-supported")
        } else {
          const [planned, next] = [yield* turn({ permissionMode: "plan" }), yield* turn()]
          assert.include(planned.text, "Plan mode is active")
          assert.include(next.text, "Exited Plan Mode")
        }
        assert.include((yield* turn({ cwd: "inner" })).text, inner)
        assert.strictEqual((yield* turn()).outcome, "answered")
      },
    )
  }
})
