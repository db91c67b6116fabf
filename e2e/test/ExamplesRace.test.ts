import { assert, describe, it } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Stage from "./ExamplesStage.ts"

const agents = [
  { name: "codex", api: "openai-responses", told: '"type":"turn_aborted"' },
  { name: "claude-code", api: "anthropic-messages", told: "[Request interrupted by user]" },
] as const

const races = ["examples/race/main.ts", "examples/race/promises.ts"].flatMap((program) =>
  agents.map((loser) => ({ program, loser, winner: agents.find((agent) => agent !== loser) ?? loser })),
)

describe("the example race", () => {
  it.each(races)(
    "$program: $winner.name wins; $loser.name is told, its request is cut, and no process is left",
    async ({ loser, program, winner }) => {
      const isLosers = ({ api }: ModelRequest.ModelRequest) => api === loser.api
      await using stage = await Stage.make(async (request) => {
        if (isLosers(request)) return ScriptedTurn.hang
        await stage.model.awaitRequest(isLosers)
        return ScriptedTurn.text("Nothing.")
      })
      assert.deepStrictEqual(await stage.run(program), {
        exitCode: 0,
        stdout: `${winner.name} was first: Nothing.\n`,
        stderr: "",
        processes: [],
      })
      await stage.model.awaitGone(await stage.model.awaitRequest(isLosers))
      assert.include(stage.remembered(), loser.told)
      assert.notInclude(stage.remembered(), winner.told)
    },
  )

  it.each(["examples/race/main.ts", "examples/race/promises.ts"])(
    "%s: a turn that failed does not win",
    async (program) => {
      const failed = Promise.withResolvers<void>()
      await using stage = await Stage.make(async ({ api }) => {
        if (api === "anthropic-messages") await failed.promise
        // Nothing waits for this. The later the good answer, the surer that a race which ends with the failure is found out.
        else setTimeout(failed.resolve, 500)
        return api === "anthropic-messages" ? ScriptedTurn.text("Nothing.") : ScriptedTurn.httpError(401)
      })
      const { exitCode, processes, stdout } = await stage.run(program)
      assert.strictEqual(stdout, "claude-code was first: Nothing.\n")
      assert.strictEqual(exitCode, 0)
      assert.deepStrictEqual(processes, [])
    },
  )
})
