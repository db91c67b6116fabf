import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import { Effect, Fiber } from "effect"
import * as LoopSmithClient from "../src/LoopSmithClient.ts"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import * as LoopSmithScript from "../src/LoopSmithScript.ts"
import * as OfficialClient from "../src/OfficialClient.ts"
import { gone, until } from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

const { doors, judge } = LoopSmithPlace

const agentsOf = (place: LoopSmithPlace.LoopSmithPlace) =>
  place.alive().filter(({ command }) => / app-server\b|zain-codex-mcp/.test(command))

const hanging = () => Wishes.prompt({ _tag: "Hang" })

describe.concurrent.each(doors)("two clients of `loopsmith serve %s`, each in the middle of an evaluation", (door) => {
  test.live(
    "LoopSmith 8 and 9: kill -9 of one ends its judge's turn and processes, and the other's goes on",
    function* () {
      const held = yield* Wishes.held("codex", LoopSmithScript.verdict(9))
      const place = yield* LoopSmithPlace.make(held.respond)
      const server = yield* LoopSmithClient.serve(place, door, judge)
      const evaluate = yield* LoopSmithClient.connect(server)
      const evaluating = yield* Effect.forkScoped(evaluate(held.text))
      yield* place.model.awaitRequest(Wishes.has(held))
      const ofOne = agentsOf(place).length
      assert.isAbove(ofOne, 0)
      const document = hanging()
      const leaving = yield* OfficialClient.call(server, "evaluate_document", { content: document.text })
      const request = yield* place.model.awaitRequest(Wishes.has(document))
      leaving.kill("SIGKILL")
      yield* place.model.awaitGone(request)
      yield* until(
        () => agentsOf(place).length <= ofOne,
        () => `Left: ${JSON.stringify(agentsOf(place))}`,
      )
      assert.isUndefined(evaluating.pollUnsafe(), "The other's evaluation is under way.")
      yield* held.release
      assert.deepInclude(yield* Fiber.join(evaluating), { score: 9, pass: true })
      yield* gone(() => agentsOf(place))
    },
  )
})

describe("`loopsmith improve` in the middle of a rewrite", () => {
  test.live("LoopSmith 8: kill -9 of it leaves no process of its agents", function* () {
    const { guide, improving } = LoopSmithScript
    const judge = improving(guide)
    const isWriter = ({ api }: ModelRequest.ModelRequest) => api === "messages"
    const place = yield* LoopSmithPlace.make((request) => (isWriter(request) ? ScriptedTurn.hang : judge(request)))
    yield* Effect.promise(() => writeFile(join(place.work, "guide.md"), guide[0].content))
    const program = yield* place.start(["improve", "guide.md", ...LoopSmithPlace.agents])
    const request = yield* place.model.awaitRequest(isWriter)
    program.kill("SIGKILL")
    yield* gone(place.alive)
    yield* place.model.awaitGone(request)
  })
})
