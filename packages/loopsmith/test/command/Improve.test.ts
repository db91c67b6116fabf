/**
 * `loopsmith improve` with scripted judges and writers: the files that it writes, and its summary.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { Writable } from "node:stream"
import { assert, describe } from "@effect/vitest"
import { agents as known } from "@zain/agent-list/Agents"
import * as Secrets from "@zain/command/Secrets"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import { Effect, Layer, Result } from "effect"
import type { CommandError } from "../../src/command/CommandError.ts"
import * as Improve from "../../src/command/Improve.ts"
import * as LoopCommandLine from "../../src/command/LoopCommandLine.ts"
import * as Screen from "../../src/command/Screen.ts"
import type { Summary } from "../../src/command/Summary.ts"
import type { Evaluator } from "../../src/Evaluator.ts"
import type { LoopSmithError } from "../../src/LoopSmithError.ts"
import { Writer } from "../../src/Writer.ts"
import { failure, judge, writer } from "../Loops.ts"

interface Ended {
  readonly code: number
  readonly summary: Summary | undefined
}

/** A directory with `guide.md`, and the command on it; `~` in its arguments is the directory. */
const desk = Effect.map(directory, (home) => {
  writeFileSync(join(home, "guide.md"), "# Guide\n")
  const files = () =>
    Object.fromEntries(
      readdirSync(home)
        .sort()
        .map((name) => [name, readFileSync(join(home, name), "utf8")]),
    )
  const run = Effect.fnUntraced(function* (
    args: ReadonlyArray<string>,
    agents: Layer.Layer<Evaluator | Writer>,
  ): Effect.fn.Return<Ended, CommandError> {
    const words = ["improve", "~/guide.md", ...args].map((word) => word.replace("~", home))
    const line = Result.getOrThrow(LoopCommandLine.parse(words, {}, known))
    if (line._tag !== "Improve") return yield* Effect.die("not improve")
    const said: Array<unknown> = []
    const lines = new Writable({
      write: (text, _, done) => {
        said.push(JSON.parse(String(text)))
        done()
      },
    })
    const job = yield* Improve.prepare(line)
    const mask = Secrets.masking({ MY_TOKEN: "hush-hush" })
    const code = yield* Effect.provide(Improve.improve(line, job, Screen.json(lines, lines), mask), agents)
    return { code, summary: said.at(-1) as Summary | undefined }
  })
  const improve = (args: ReadonlyArray<string>, scores: ReadonlyArray<number | LoopSmithError>, failsAt?: number) =>
    run(args, Layer.merge(judge(scores), writer(failsAt)))
  return { home, files, improve, run }
})

/** The files besides the unchanged `guide.md`; the content of a report is not compared. */
interface Outcome {
  readonly args: string
  readonly scores: ReadonlyArray<number | LoopSmithError>
  readonly failsAt?: number
  readonly code: number
  readonly summary?: Partial<Summary>
  readonly files: Readonly<Record<string, string>>
}
const outcomes: ReadonlyArray<readonly [title: string, outcome: Outcome]> = [
  [
    "writes the best document when a later one is worse, and exits with 3 below the target",
    {
      args: "--iterations 3",
      scores: [5, 7, 6],
      code: 3,
      summary: { stop: "out-of-iterations", best: 2, score: 7 },
      files: { "guide.improved.md": "# Guide\n+", "guide.report.html": "report" },
    },
  ],
  [
    "writes no document when the original is the best",
    { args: "", scores: [9], code: 0, summary: { document: null }, files: { "guide.report.html": "report" } },
  ],
  [
    "writes the original to --output when it is the best",
    { args: "-o ~/out.md --no-report", scores: [9], code: 0, files: { "out.md": "# Guide\n" } },
  ],
  [
    "does not replace the original with a worse document",
    { args: "--in-place --no-report --iterations 2", scores: [7, 5], code: 3, files: {} },
  ],
  [
    "does not replace the original with a document of equal score",
    {
      args: "--in-place --no-report --iterations 2",
      scores: [7, 7],
      code: 3,
      summary: { document: null, score: 7, first: 7 },
      files: {},
    },
  ],
  [
    "replaces the original with a better document with --in-place",
    { args: "--in-place --no-report", scores: [5, 8], code: 0, files: { "guide.md": "# Guide\n+" } },
  ],
  [
    "writes nothing when the first evaluation fails",
    {
      args: "",
      scores: [failure("no judge")],
      code: 1,
      summary: { stop: "failed", score: null, document: null, report: null, problem: "no judge" },
      files: {},
    },
  ],
  [
    "writes no document when the first rewriting fails",
    {
      args: "--no-report",
      scores: [5],
      failsAt: 1,
      code: 1,
      summary: { stop: "failed", score: 5, document: null },
      files: {},
    },
  ],
  [
    "writes no copy of the original when the loop fails",
    { args: "-o ~/out.md --no-report", scores: [5], failsAt: 1, code: 1, files: {} },
  ],
]

describe("loopsmith improve", () => {
  test("writes the better document and a report beside the unchanged original (LoopSmith 10)", function* () {
    const { files, home, improve } = yield* desk
    const { code, summary } = yield* improve([], [5.5, 6.9, 8.2])
    assert.strictEqual(code, 0)
    const written = files()
    assert.deepStrictEqual(Object.keys(written), ["guide.improved.md", "guide.md", "guide.report.html"])
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

  test.each(outcomes)("%s", function* ([, { args, code, failsAt, files: expected, scores, summary = {} }]) {
    const { files, improve } = yield* desk
    const ended = yield* improve(args.split(" ").filter(Boolean), scores, failsAt)
    assert.strictEqual(ended.code, code)
    assert.deepInclude(ended.summary, summary)
    const written = files()
    if ("guide.report.html" in written) written["guide.report.html"] = "report"
    assert.deepStrictEqual(written, { "guide.md": "# Guide\n", ...expected })
  })

  test("writes beside the original and notes the reason when another program has changed it", function* () {
    const { files, home, run } = yield* desk
    const edits = Layer.succeed(Writer, {
      rewrite: ({ content }) =>
        Effect.sync(() => {
          writeFileSync(join(home, "guide.md"), "by hand")
          return `${content}+`
        }),
    })
    const { summary } = yield* run(["--in-place", "--no-report"], Layer.merge(judge([5, 9]), edits))
    assert.deepStrictEqual(files(), { "guide.improved.md": "# Guide\n+", "guide.md": "by hand" })
    assert.include(summary?.note, "was changed by another program")
  })

  test("writes the best document when an agent fails later, and masks secrets in the problem (LoopSmith 11)", function* () {
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

  test("writes the document to a temporary file and fails when its destination cannot be written", function* () {
    const { home, improve } = yield* desk
    const name = `${"x".repeat(300)}${basename(home)}`
    const { code, summary } = yield* improve(["-o", join(home, name), "--no-report"], [5, 9])
    assert.strictEqual(code, 1)
    assert.include(summary?.problem, "name too long")
    const rescued = summary?.document ?? ""
    assert.strictEqual(dirname(rescued), resolve(tmpdir()))
    assert.strictEqual(readFileSync(rescued, "utf8"), "# Guide\n+")
    rmSync(rescued)
  })
})
