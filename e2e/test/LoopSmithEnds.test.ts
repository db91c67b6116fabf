import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, ScriptedTurn } from "@zain/scripted-model"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { test } from "../../packages/core/test/Test.ts"
import * as LoopSmithClient from "../src/LoopSmithClient.ts"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import * as LoopSmithScript from "../src/LoopSmithScript.ts"
import { start } from "../src/Programs.ts"
import * as StdioServer from "../src/StdioServer.ts"
import * as Until from "../src/Until.ts"
import * as Wishes from "../src/Wishes.ts"

const { doors, judge } = LoopSmithPlace

const until = (holds: () => boolean, otherwise: () => string) => Effect.promise(() => Until.until(holds, otherwise))

const agentsOf = (place: LoopSmithPlace.LoopSmithPlace) =>
  place.alive().filter(({ command }) => / app-server\b|zain-codex-mcp/.test(command))

const gone = (place: LoopSmithPlace.LoopSmithPlace) =>
  until(
    () => place.alive().length === 0,
    () => `Left: ${JSON.stringify(place.alive())}`,
  )

const hanging = () => Wishes.prompt({ _tag: "Hang" })
const passing = () => Wishes.prompt({ _tag: "Say", text: LoopSmithScript.verdict(9) })

/** Waits until a judge asks its model about a document. */
const asked = (place: LoopSmithPlace.LoopSmithPlace, key: string) =>
  place.model.awaitRequest((request) => Wishes.keysOf(request).includes(key))

describe.concurrent.each(doors)("two clients of `loopsmith serve %s`, each in the middle of an evaluation", (door) => {
  test.live(
    "LoopSmith 8 and 9: kill -9 of one ends its judge's turn and processes, and the other's goes on",
    function* () {
      const release = yield* Deferred.make<void>()
      const held = passing()
      const play = Wishes.play("codex")
      const place = yield* LoopSmithPlace.make((request) => {
        const turn = Effect.succeed(play(request))
        return Wishes.keysOf(request).includes(held.key) ? Effect.andThen(Deferred.await(release), turn) : turn
      })
      const way = yield* LoopSmithClient.open(place, door, judge)
      const other = yield* LoopSmithClient.connect(way)
      const evaluating = yield* Effect.forkScoped(Effect.promise(() => other.evaluate(held.text)))
      yield* asked(place, held.key)
      const ofOne = agentsOf(place).length
      assert.isAbove(ofOne, 0)
      const { key, text } = hanging()
      const leaving = yield* Effect.acquireRelease(
        Effect.sync(() => start("e2e/test/LoopSmithLeaver.ts", {}, [JSON.stringify(way), text])),
        (client) => Effect.sync(() => client.kill("SIGKILL")),
      )
      const request = yield* asked(place, key)
      leaving.kill("SIGKILL")
      yield* place.model.awaitGone(request)
      yield* until(
        () => agentsOf(place).length <= ofOne,
        () => `Left: ${JSON.stringify(agentsOf(place))}`,
      )
      assert.isUndefined(evaluating.pollUnsafe(), "The other's evaluation is under way.")
      yield* Deferred.succeed(release, undefined)
      assert.deepInclude(yield* Fiber.join(evaluating), { score: 9, pass: true })
      yield* until(
        () => agentsOf(place).length === 0,
        () => `Left: ${JSON.stringify(agentsOf(place))}`,
      )
    },
  )
})

describe.concurrent.each(["ws", "http"] as const)("`loopsmith serve %s` in the middle of an evaluation", (door) => {
  test.live("LoopSmith 8: kill -9 of it leaves no process of its judge", function* () {
    const place = yield* LoopSmithPlace.make(Wishes.play("codex"))
    const served = yield* place.serve(door, judge)
    const client = yield* LoopSmithClient.connect({ door, url: served.url })
    const { key, text } = hanging()
    yield* Effect.forkScoped(Effect.exit(Effect.tryPromise(() => client.evaluate(text))))
    const request = yield* asked(place, key)
    served.process.kill("SIGKILL")
    yield* gone(place)
    yield* place.model.awaitGone(request)
  })
})

describe.concurrent("`loopsmith serve stdio` in the middle of an evaluation", () => {
  test.live.each(StdioServer.ends)(
    "LoopSmith 8: $name ends it with exit code $exitCode, its judge's turn and every process",
    function* (way) {
      const place = yield* LoopSmithPlace.make(Wishes.play("codex"))
      const line = place.command(["serve", "stdio", ...judge])
      const server = yield* StdioServer.call(line, "evaluate_document", { content: hanging().text })
      const request = yield* place.model.awaitRequest()
      assert.strictEqual(yield* StdioServer.exitOf(server, way), way.exitCode)
      assert.deepStrictEqual(place.alive(), [])
      yield* place.model.awaitGone(request)
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
    yield* gone(place)
    yield* place.model.awaitGone(request)
  })
})
