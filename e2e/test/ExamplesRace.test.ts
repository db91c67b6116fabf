import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import { place } from "../src/AgentServers.ts"
import * as OwnClient from "../src/OwnClient.ts"
import * as Stage from "./ExamplesStage.ts"

const agents = [
  { name: "codex", api: "responses", received: '"type":"turn_aborted"' },
  { name: "claude-code", api: "messages", received: "[Request interrupted by user]" },
] as const

const [codex, claudeCode] = agents
const races = [
  { program: "examples/race/main.ts", loser: codex, winner: claudeCode },
  { program: "examples/race/promises.ts", loser: claudeCode, winner: codex },
]

/** What the agents of a home have written down of their conversations. */
const remembered = (home: string) => {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" })
  const transcripts = files.filter((file) => /^(codex.|claude.)?(sessions|projects).*\.jsonl$/.test(file))
  return transcripts.map((file) => readFileSync(join(home, file), "utf8")).join("")
}

describe("the example race", () => {
  it.each(races)(
    "$program: $winner.name wins; $loser.name's request is cut, and no process is left",
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
      assert.notInclude(remembered(stage.home), winner.received)
    },
  )

  test.live.each(agents)(
    "$name receives the cancellation when it is interrupted and closed as the loser of a race is",
    function* ({ name, received }) {
      const at = yield* place(name, { respond: () => ScriptedTurn.hang })
      const client = yield* OwnClient.adapter(name)
      // An agent has this long to take notice and to write it down. A busy one needs more than a program's two seconds.
      const session = yield* client.openSession({ ...OwnClient.local(name, at), closeGrace: "4 minutes" })
      const hanging = yield* Effect.forkChild(client.execute(session, { content: "Do you hang?" }))
      const asked = yield* at.model.awaitRequest(() => true)
      yield* Fiber.interrupt(hanging)
      yield* client.closeSession(session)
      yield* at.model.awaitGone(asked)
      assert.include(remembered(at.directory), received)
    },
  )

  it.each(["examples/race/main.ts", "examples/race/promises.ts"])(
    "%s: a turn that failed does not win",
    async (program) => {
      const failed = Promise.withResolvers<void>()
      await using stage = await Stage.make(async ({ api }) => {
        if (api === "messages") await failed.promise
        // Nothing waits for this. The later the good answer, the surer that a race which ends with the failure is found out.
        else setTimeout(failed.resolve, 500)
        return api === "messages" ? ScriptedTurn.text("Nothing.") : ScriptedTurn.httpError(401)
      })
      const { exitCode, processes, stdout } = await stage.run(program)
      assert.strictEqual(stdout, "claude-code was first: Nothing.\n")
      assert.strictEqual(exitCode, 0)
      assert.deepStrictEqual(processes, [])
    },
  )
})
