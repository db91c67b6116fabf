import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type ModelRequest, type ScriptedModel, ScriptedTurn } from "@zain/scripted-model"
import * as Effect from "effect/Effect"
import { test } from "../../packages/core/test/Test.ts"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import * as LoopSmithScript from "../src/LoopSmithScript.ts"
import { end } from "../src/Programs.ts"

const { advice, guide, improving, promptOf } = LoopSmithScript

/** Starts `loopsmith improve guide.md --json` with the real agents, and waits until it and `meanwhile` have ended. */
const improve = Effect.fnUntraced(function* (
  respond: ScriptedModel.ScriptedModelOptions["respond"],
  meanwhile: (place: LoopSmithPlace.LoopSmithPlace, interrupt: () => void) => Effect.Effect<unknown> = () =>
    Effect.void,
) {
  const place = yield* LoopSmithPlace.make(respond)
  yield* Effect.promise(() => writeFile(join(place.work, "guide.md"), guide[0].content))
  const program = yield* place.start(["improve", "guide.md", "--json", ...LoopSmithPlace.agents])
  const ending = end(program)
  yield* meanwhile(place, () => program.kill("SIGINT"))
  const { exitCode, stderr, stdout } = yield* Effect.promise(() => ending)
  // Before anything else has time to end.
  assert.deepStrictEqual(place.alive(), [], "No process is left.")
  const temporary = yield* Effect.promise(() => readdir(place.env["TMPDIR"] ?? ""))
  assert.deepStrictEqual(
    temporary.filter((name) => name.startsWith("loopsmith")),
    [],
    "No directory is left.",
  )
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  return {
    ...{ exitCode, stderr },
    scores: events.filter(({ _tag }) => _tag === "Evaluated").map(({ evaluation }) => evaluation.score),
    ended: events.at(-1),
    file: (name: string) => Effect.promise(() => readFile(join(place.work, name), "utf8")),
    files: (yield* Effect.promise(() => readdir(place.work))).sort(),
    ...LoopSmithScript.asked(yield* place.model.requests),
  }
})

describe("`loopsmith improve` with the real Codex as judge and the real Claude Code as writer,", () => {
  test.live(
    "LoopSmith 10 and 4: it reaches 8.0 in three evaluations and two rewrites, and leaves its files and no process",
    function* () {
      const { exitCode, file, files, judge, other, scores, stderr } = yield* improve(improving(guide))
      assert.strictEqual(exitCode, 0, stderr)
      assert.deepStrictEqual(
        scores,
        guide.map(({ score }) => score),
      )
      assert.deepStrictEqual(files, ["guide.improved.md", "guide.md", "guide.report.html"])
      assert.strictEqual(yield* file("guide.md"), guide[0].content, "The original is as it was.")
      assert.strictEqual(yield* file("guide.improved.md"), guide[2].content)
      assert.match(yield* file("guide.report.html"), /<svg.*8\.2.*<\/svg>/s)
      // LoopSmith 4: both agents get every document byte for byte, and the writer what was said of it.
      const rounds = (requests: typeof judge) => requests.map((request) => LoopSmithScript.roundIn(guide, request))
      assert.deepStrictEqual(
        [rounds(judge), rounds(other)],
        [
          [0, 1, 2],
          [0, 1],
        ],
      )
      other.map(promptOf).forEach((prompt, round) => {
        assert.include(prompt, advice(guide[round]?.score ?? 0))
      })
    },
  )

  test.live("LoopSmith 5: it requests an invalid verdict again with the reason, and invents no score", function* () {
    const [first, , last] = guide
    const noVerdicts = ["I would say {a lot}: 11 of 10.", LoopSmithScript.verdict(11)]
    const rounds = [{ ...first, first: noVerdicts }, last]
    const { exitCode, judge, scores, stderr } = yield* improve(improving(rounds))
    assert.strictEqual(exitCode, 0, stderr)
    assert.deepStrictEqual(scores, [first.score, last.score])
    const [asked = "", again = "", oncemore = ""] = judge.map(promptOf)
    assert.match(again.slice(asked.length), /no JSON object/)
    assert.match(oncemore.slice(asked.length), /score/)
    for (const prompt of [again, oncemore]) assert.isTrue(prompt.startsWith(asked), "The question is the same.")
    assert.lengthOf(judge, 4)
  })

  test.live(
    "LoopSmith 8: SIGINT in the middle of a rewrite ends it with 130, and the best document so far is kept",
    function* () {
      const play = improving(guide)
      const isLast = (request: ModelRequest.ModelRequest) =>
        request.api === "messages" && promptOf(request).includes(guide[1].content)
      const { ended, exitCode, file, files, scores } = yield* improve(
        (request) => (isLast(request) ? ScriptedTurn.hang : play(request)),
        ({ model }, interrupt) =>
          Effect.gen(function* () {
            const request = yield* model.awaitRequest(isLast)
            interrupt()
            yield* model.awaitGone(request)
          }).pipe(Effect.orDie),
      )
      assert.strictEqual(exitCode, 130)
      assert.deepStrictEqual(scores, [guide[0].score, guide[1].score])
      assert.include(ended, { stop: "cancelled", score: guide[1].score })
      assert.deepStrictEqual(files, ["guide.improved.md", "guide.md", "guide.report.html"])
      assert.strictEqual(yield* file("guide.improved.md"), guide[1].content)
    },
  )
})
