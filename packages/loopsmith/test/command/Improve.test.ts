/**
 * The command `loopsmith improve` with judges and writers that are scripts: which files there are in the end, and what is
 * said of it.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { Writable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { agents as known } from "@zain/agents/Agents"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { test } from "../../../tool-server/test/Test.ts"
import * as CommandLine from "../../src/command/CommandLine.ts"
import * as Improve from "../../src/command/Improve.ts"
import * as Screen from "../../src/command/Screen.ts"
import * as Secrets from "../../src/command/Secrets.ts"
import type { Summary } from "../../src/command/Summary.ts"
import * as Evaluator from "../../src/Evaluator.ts"
import type { LoopEvent } from "../../src/LoopEvent.ts"
import type { LoopSmithError } from "../../src/LoopSmithError.ts"
import * as Rubric from "../../src/Rubric.ts"
import { type RewriteRequest, Writer } from "../../src/Writer.ts"
import { failure, judge, writer } from "../Loops.ts"
import { directory } from "./Directory.ts"

interface Ended {
  readonly code: number
  readonly events: ReadonlyArray<LoopEvent>
  readonly summary: Summary | undefined
}

/** `guide.md` in a directory of its own, and the command on it. */
const desk = Effect.map(directory, (home) => {
  writeFileSync(join(home, "guide.md"), "# Guide\n")
  const files = () =>
    Object.fromEntries(
      readdirSync(home)
        .sort()
        .map((name) => [name, readFileSync(join(home, name), "utf8")]),
    )
  const run = (args: ReadonlyArray<string>, agents: Layer.Layer<Evaluator.Evaluator | Writer>) =>
    Effect.gen(function* () {
      const line = Result.getOrThrow(CommandLine.parse(["improve", join(home, "guide.md"), ...args], {}, known))
      if (line._tag !== "Improve") return yield* Effect.die("not improve")
      const said: Array<unknown> = []
      const lines = new Writable({
        write: (text, _, done) => {
          said.push(JSON.parse(String(text)))
          done()
        },
      })
      const screen = Screen.json(lines, lines)
      const seen = yield* Deferred.make<void>()
      const tell = (event: LoopEvent) =>
        Effect.andThen(
          screen.tell(event),
          event._tag === "RewriteStarted" && event.iteration === 2 ? Deferred.succeed(seen, undefined) : Effect.void,
        )
      const job = yield* Improve.prepare(line)
      const ended = (code: number): Ended => ({
        code,
        events: said.slice(0, -1) as Array<LoopEvent>,
        summary: said.at(-1) as Summary | undefined,
      })
      const code = Improve.improve(line, job, { ...screen, tell }, Secrets.masking({ MY_TOKEN: "hush-hush" })).pipe(
        Effect.provide(agents),
      )
      return { code, ended, seen: Deferred.await(seen) }
    })
  const improve = (args: ReadonlyArray<string>, scores: ReadonlyArray<number | LoopSmithError>, failsAt?: number) =>
    Effect.gen(function* () {
      const { code, ended } = yield* run(args, Layer.merge(judge(scores), writer(failsAt)))
      return ended(yield* code)
    })
  return { home, files, improve, run }
})

const names = (files: object) => Object.keys(files)

describe("loopsmith improve", () => {
  test("writes the better document and a report beside the original, which it leaves alone (LoopSmith 10)", function* () {
    const { files, home, improve } = yield* desk
    const { code, summary } = yield* improve([], [5.5, 6.9, 8.2])
    assert.strictEqual(code, 0)
    const written = files()
    assert.deepStrictEqual(names(written), ["guide.improved.md", "guide.md", "guide.report.html"])
    assert.strictEqual(written["guide.md"], "# Guide\n")
    assert.strictEqual(written["guide.improved.md"], "# Guide\n++")
    for (const part of ["guide.md", "<svg", "5.5", "6.9", "8.2"]) assert.include(written["guide.report.html"], part)
    assert.deepStrictEqual(summary, {
      _tag: "Ended",
      stop: "reached-target",
      target: 8,
      iterations: 3,
      score: 8.2,
      first: 5.5,
      best: 3,
      document: join(home, "guide.improved.md"),
      report: join(home, "guide.report.html"),
    } as Summary)
  })

  test("keeps the best document where a later one is worse, and says with 3 that the target was missed", function* () {
    const { files, improve } = yield* desk
    const { code, summary } = yield* improve(["--iterations", "3"], [5, 7, 6])
    assert.strictEqual(code, 3)
    assert.deepInclude(summary, { stop: "out-of-iterations", best: 2, score: 7 })
    assert.strictEqual(files()["guide.improved.md"], "# Guide\n+")
  })

  test("writes no document where the original is the best, unless one was asked for", function* () {
    const { files, home, improve } = yield* desk
    const good = yield* improve([], [9])
    assert.strictEqual(good.code, 0)
    assert.strictEqual(good.summary?.document, null)
    assert.deepStrictEqual(names(files()), ["guide.md", "guide.report.html"])
    yield* improve(["-o", join(home, "out.md"), "--no-report"], [9])
    assert.strictEqual(files()["out.md"], "# Guide\n")
    assert.deepStrictEqual(names(files()), ["guide.md", "guide.report.html", "out.md"])
  })

  test("replaces the original only when it is told to, and only by a better one", function* () {
    const { files, improve } = yield* desk
    yield* improve(["--in-place", "--no-report", "--iterations", "2"], [7, 5])
    assert.deepStrictEqual(files(), { "guide.md": "# Guide\n" })
    const equal = yield* improve(["--in-place", "--no-report", "--iterations", "2"], [7, 7])
    assert.deepStrictEqual(files(), { "guide.md": "# Guide\n" })
    assert.deepInclude(equal.summary, { document: null, score: 7, first: 7 })
    const { code } = yield* improve(["--in-place", "--no-report"], [5, 8])
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(files(), { "guide.md": "# Guide\n+" })
  })

  test("says why the better document is beside an original that somebody has changed meanwhile", function* () {
    const { files, home, run } = yield* desk
    const edits = Layer.succeed(Writer, {
      rewrite: ({ content }) =>
        Effect.sync(() => {
          writeFileSync(join(home, "guide.md"), "by hand")
          return `${content}+`
        }),
    })
    const { code, ended } = yield* run(["--in-place", "--no-report"], Layer.merge(judge([5, 9]), edits))
    const { summary } = ended(yield* code)
    assert.deepStrictEqual(files(), { "guide.improved.md": "# Guide\n+", "guide.md": "by hand" })
    assert.include(summary?.note, "changed meanwhile")
  })

  test("keeps what there is when an agent fails after some rounds, and says why without secrets (LoopSmith 11)", function* () {
    const { files, improve } = yield* desk
    const { code, summary } = yield* improve(
      [],
      [5, 7, failure("no: Bearer abcdefgh1, hush-hush, sk-1234567890abcdef")],
    )
    assert.strictEqual(code, 1)
    assert.deepInclude(summary, {
      stop: "failed",
      best: 2,
      score: 7,
      problem: "no: Bearer <redacted>, <redacted>, <redacted>",
    })
    assert.deepStrictEqual(summary?.error, {
      reason: "agent",
      details: "no: Bearer <redacted>, <redacted>, <redacted>",
      retryable: false,
      attempts: 1,
    })
    const written = files()
    assert.strictEqual(written["guide.improved.md"], "# Guide\n+")
    assert.include(written["guide.report.html"], "Bearer")
    for (const secret of ["abcdefgh", "hush-hush", "sk-1"]) assert.notInclude(written["guide.report.html"], secret)
  })

  test("masks suggestions where they go out, and gives the writer what the judge said (LoopSmith 11)", function* () {
    const { files, run } = yield* desk
    const suggestions = ["Name hush-hush.", "hush-hush".repeat(222)]
    const confiding = Evaluator.make("script", () =>
      Effect.succeed({ score: 5, rubric_scores: Rubric.map(() => 5), suggestions }),
    )
    const asked: Array<RewriteRequest> = []
    const agents = Layer.merge(Layer.succeed(Evaluator.Evaluator, confiding), writer(undefined, asked))
    const improving = yield* run(["--iterations", "2", "--target", "9"], agents)
    const told = improving.ended(yield* improving.code)
    assert.deepStrictEqual(
      asked.map(({ evaluation }) => evaluation.suggestions),
      [suggestions],
    )
    const events = JSON.stringify(told.events)
    const masked = JSON.stringify(["Name <redacted>.", "<redacted>".repeat(200)])
    // Two evaluations, and again what came of them.
    assert.strictEqual(events.split(`"suggestions":${masked}`).length - 1, 4)
    const report = files()["guide.report.html"]
    assert.include(report, "Name &lt;redacted&gt;.")
    assert.notInclude(`${JSON.stringify(told)}${report}`, "hush")
  })

  test("writes nothing when the first evaluation or the first rewriting fails", function* () {
    const { files, improve } = yield* desk
    const first = yield* improve([], [failure("no judge")])
    assert.strictEqual(first.code, 1)
    assert.deepInclude(first.summary, {
      stop: "failed",
      score: null,
      document: null,
      report: null,
      problem: "no judge",
    })
    assert.deepStrictEqual(names(files()), ["guide.md"])
    const second = yield* improve(["--no-report"], [5], 1)
    assert.strictEqual(second.code, 1)
    assert.deepInclude(second.summary, { stop: "failed", score: 5, document: null })
    assert.deepStrictEqual(names(files()), ["guide.md"])
  })

  test("keeps the best document and a report when it is cancelled, after the turn under way has ended", function* () {
    const { files, run } = yield* desk
    const order: Array<string> = []
    let rewrites = 0
    const slow = Layer.succeed(Writer, {
      rewrite: ({ content }) =>
        Effect.suspend(() => {
          rewrites += 1
          if (rewrites === 1) return Effect.succeed(`${content}+`)
          return Effect.onInterrupt(Effect.never, () =>
            Effect.sync(() => order.push(`turn ended, ${names(files()).length} file`)),
          )
        }),
    })
    const { code, ended, seen } = yield* run([], Layer.merge(judge([5, 6]), slow))
    const fiber = yield* Effect.forkChild(code)
    yield* seen
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(order, ["turn ended, 1 file"])
    assert.deepInclude(ended(130).summary, { stop: "cancelled", best: 2, score: 6, first: 5 })
    const written = files()
    assert.strictEqual(written["guide.improved.md"], "# Guide\n+")
    assert.include(written["guide.report.html"], "cancelled")
  })

  test("writes no copy of the original in the name of a loop that failed", function* () {
    const { files, home, improve } = yield* desk
    const { code } = yield* improve(["-o", join(home, "out.md"), "--no-report"], [5], 1)
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(names(files()), ["guide.md"])
  })

  test("keeps a document that cannot be written where it belongs, says where, and fails", function* () {
    const { home, improve } = yield* desk
    const name = `${"x".repeat(300)}${basename(home)}`
    const { code, summary } = yield* improve(["-o", join(home, name), "--no-report"], [5, 9])
    assert.strictEqual(code, 1)
    assert.include(summary?.problem, "its name is too long")
    const rescued = summary?.document ?? ""
    assert.strictEqual(dirname(rescued), resolve(tmpdir()))
    assert.strictEqual(readFileSync(rescued, "utf8"), "# Guide\n+")
    rmSync(rescued)
  })
})
