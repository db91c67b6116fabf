import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import type { ScriptedModel } from "@zain/scripted-model"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import * as LoopSmithPlace from "../src/LoopSmithPlace.ts"
import * as LoopSmithScript from "../src/LoopSmithScript.ts"
import { end } from "../src/Programs.ts"

const { advice, guide, improving, promptOf } = LoopSmithScript

/** Runs `loopsmith improve guide.md --json` with the real agents. */
const improve = Effect.fnUntraced(function* (respond: ScriptedModel.ScriptedModelOptions["respond"]) {
  const place = yield* LoopSmithPlace.make(respond)
  yield* Effect.promise(() => writeFile(join(place.work, "guide.md"), guide[0].content))
  const program = yield* place.start(["improve", "guide.md", "--json", ...LoopSmithPlace.agents])
  const { exitCode, stderr, stdout } = yield* Effect.promise(() => end(program))
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
})
