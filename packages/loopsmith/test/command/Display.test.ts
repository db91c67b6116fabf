/**
 * The rendering of a loop on terminals of all sizes, and its protection against control characters.
 */
import { stripVTControlCharacters } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { clean } from "@zain/command/PlainText"
import { clip, width, wrap } from "@zain/command/TextWidth"
import * as Display from "../../src/command/Display.ts"
import * as Lines from "../../src/command/Lines.ts"
import * as Summary from "../../src/command/Summary.ts"
import * as View from "../../src/command/View.ts"
import type { LoopEvent } from "../../src/LoopEvent.ts"
import { response } from "../Loops.ts"

const about = { title: "guide.md", judge: "Codex", writer: "Claude Code", target: 8, maxIterations: 5 }

const evaluated = (iteration: number, score: number, suggestions: ReadonlyArray<string>, gain?: number): LoopEvent => ({
  _tag: "Evaluated",
  iteration,
  evaluation: response(score, { suggestions }),
  ...(gain === undefined ? {} : { gain }),
})

/** The view after these events, one second apart. */
const viewOf = (...events: ReadonlyArray<LoopEvent>): View.View =>
  events.reduce((view, event, at) => View.advance(view, event, 1_000 * (at + 1)), View.begin(about, 0))

const canvas = { columns: 81, rows: 24, color: false, now: 65_000 }
const linesOf = (view: View.View, more: Partial<Display.Canvas> = {}) =>
  Display.render(view, { ...canvas, ...more }).split("\n")

const second = viewOf(
  { _tag: "IterationStarted", iteration: 1 },
  evaluated(1, 5, ["first"]),
  { _tag: "RewriteStarted", iteration: 1 },
  { _tag: "Rewritten", iteration: 1, content: "better", took: 1 },
  { _tag: "IterationStarted", iteration: 2 },
  evaluated(2, 7.5, ["Say what it returns.", "Give an example."], 2.5),
  { _tag: "RewriteStarted", iteration: 2 },
)

describe("Display.render", () => {
  it("shows the document, the iteration, the active agent and the times", () => {
    const [head = "", phase] = linesOf(viewOf({ _tag: "IterationStarted", iteration: 1 }))
    assert.match(head, /^LoopSmith {2}guide\.md +1:05$/)
    assert.strictEqual(phase, "Iteration 1 of 5: Codex judges 1:04")
    assert.strictEqual(linesOf(second)[1], "Iteration 2 of 5: Claude Code writes 0:58")
  })

  it("draws a bar for the overall score and each criterion, the target, and the change", () => {
    const [overall, ...criteria] = linesOf(second).slice(3, 8)
    assert.strictEqual(overall, `overall       ${"█".repeat(30)}░┃${"░".repeat(8)}   7.5 +2.5`)
    assert.deepStrictEqual(
      criteria,
      ["completeness", "accuracy    ", "clarity     ", "usability   "].map(
        (name) => `${name}  ${"█".repeat(30)}${"░".repeat(10)}   7.5 +2.5`,
      ),
    )
  })

  it("shows the first suggestions and the number of all", () => {
    assert.deepStrictEqual(linesOf(second).slice(8), [
      "",
      "Suggestions",
      " 1. Say what it returns.",
      " 2. Give an example.",
    ])
    const many = viewOf(
      evaluated(
        1,
        5,
        Array.from({ length: 9 }, (_, at) => `number ${at + 1}`),
      ),
    )
    assert.deepStrictEqual(linesOf(many).slice(9, 11), ["Suggestions (5 of 9)", " 1. number 1"])
    assert.strictEqual(linesOf(many).length, 15)
  })

  it("shows the problem with an attempt until the next event", () => {
    const note = "The agent timed out after 2m."
    const failed: LoopEvent = { _tag: "StateChanged", state: "HandlingError", note }
    const started: LoopEvent = { _tag: "IterationStarted", iteration: 1 }
    assert.include(linesOf(viewOf(started, failed))[1], note)
    assert.include(linesOf(viewOf(started, failed, { _tag: "StateChanged", state: "Failed" }))[1], note)
    assert.notInclude(linesOf(viewOf(started, failed, evaluated(1, 5, [])))[1], note)
  })

  it("fits every terminal in width and height", () => {
    const long = viewOf(evaluated(1, 5, ["wörter ".repeat(200), "漢字".repeat(300), "😀".repeat(300)]))
    for (const columns of [30, 41, 80, 200]) {
      for (const rows of [4, 10, 12, 24]) {
        for (const view of [long, second]) {
          const lines = linesOf(view, { columns, rows })
          assert.isAtMost(lines.length, rows - 1, `${columns} × ${rows}`)
          for (const line of lines) assert.isBelow(width(line), columns, line)
        }
      }
    }
  })

  it("colours scores at the target, and has the same text without colours", () => {
    const colored = Display.render(second, { ...canvas, color: true })
    assert.include(colored, "\u001b[")
    assert.strictEqual(stripVTControlCharacters(colored), Display.render(second, canvas))
    assert.include(Display.render(viewOf(evaluated(1, 9, [])), { ...canvas, color: true }), "\u001b[32m")
    assert.notInclude(colored, "\u001b[32m")
  })

  it("never draws a score below the target up to the target", () => {
    assert.strictEqual(Display.bar(7.99, 10), "███████░░░")
    assert.strictEqual(Display.bar(8, 10, 8), "███████┃░░")
    assert.strictEqual(Display.bar(0, 10, 0), "┃░░░░░░░░░")
    assert.strictEqual(Display.bar(10, 10, 10), "█████████┃")
    assert.include(linesOf(viewOf(evaluated(1, 7.996, [])))[3], "7.99")
  })

  it("formats times in minutes and hours", () => {
    assert.deepStrictEqual([0, 999, 65_000, 3_661_000, -5].map(Display.clock), [
      "0:00",
      "0:00",
      "1:05",
      "1:01:01",
      "0:00",
    ])
  })
})

/** Clears the screen, sets the title, moves the cursor, rings, reverses the direction, ends lines, cuts characters. */
const hostile = "a\u001b[2J\u001b]0;owned\u0007b\r\n\u009b31mc\u0007\u202ed\u2028e\u0000f\ud800g\u200bh\u001b[?1049h\tz"

describe("text of agents and documents on a terminal", () => {
  it("has no control characters, escapes and direction marks", () => {
    const said = clean(hostile)
    assert.match(said, /^[a-z ]+$/)
    assert.strictEqual(said.at(0), "a")
    assert.strictEqual(said.at(-1), "z")
  })

  it("is cleaned in the drawing, in lines and in the summary", () => {
    const view = View.begin({ ...about, title: hostile, judge: hostile }, 0)
    const noted = View.advance(view, { _tag: "StateChanged", state: "Failed", note: hostile }, 1)
    const drawn = Display.render(View.advance(noted, evaluated(1, 5, [hostile]), 2), canvas)
    const lines = Lines.of(about, evaluated(1, 5, [hostile]), Display.painter(false))
    const failed: LoopEvent = { _tag: "StateChanged", state: "HandlingError", note: hostile }
    const summary = {
      ...Summary.make("failed", 8, undefined, { document: hostile, report: hostile }),
      problem: hostile,
    }
    const all = [
      ...drawn.split("\n"),
      ...lines,
      ...Lines.of(about, failed, Display.painter(false)),
      ...Summary.text(summary, Display.painter(false)).split("\n"),
    ]
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
    for (const line of all) assert.notMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e\u2028]/, JSON.stringify(line))
  })

  it("keeps every script, and its width", () => {
    assert.strictEqual(clean("naïve 日本語 😀 עברית"), "naïve 日本語 😀 עברית")
    assert.deepStrictEqual(["abc", "日本", "😀", "e\u0301", "ﾊ", "Ａ", ""].map(width), [3, 4, 2, 1, 1, 2, 0])
  })

  it("is cut between characters, and wrapped between words", () => {
    assert.strictEqual(clip("日本語", 5), "日本…")
    assert.strictEqual(clip("日本語", 6), "日本語")
    assert.strictEqual(clip("abc", 0), "")
    assert.deepStrictEqual(wrap("one two three four", 9, 3), ["one two", "three", "four"])
    assert.deepStrictEqual(wrap("one two three four", 9, 2), ["one two", "three fo…"])
    assert.deepStrictEqual(wrap("abcdefghij", 4, 3), ["abcd", "efgh", "ij"])
    assert.deepStrictEqual(wrap("", 4, 3), [])
  })
})

describe("Lines.of", () => {
  it("renders each step in words, and no line for other changes of state", () => {
    const say = (event: LoopEvent) => Lines.of(about, event, Display.painter(false))
    assert.deepStrictEqual(say({ _tag: "IterationStarted", iteration: 2 }), ["Iteration 2 of 5: Codex judges."])
    assert.deepStrictEqual(say(evaluated(2, 7.5, ["More."], -0.25)), [
      "  Score 7.5 (−0.25): completeness 7.5, accuracy 7.5, clarity 7.5, usability 7.5",
      "  - More.",
    ])
    assert.deepStrictEqual(say({ _tag: "RewriteStarted", iteration: 2 }), ["  Claude Code writes."])
    assert.deepStrictEqual(say({ _tag: "Rewritten", iteration: 2, content: "secret", took: 65_000 }), [
      "  Written in 1:05.",
    ])
    assert.deepStrictEqual(say({ _tag: "StateChanged", state: "Retrying", note: "retrying in 1 s" }), [
      "  retrying in 1 s",
    ])
    assert.deepStrictEqual(say({ _tag: "StateChanged", state: "RunningAgent", note: "attempt 1 of 3" }), [])
  })
})

describe("Summary.text", () => {
  const result = {
    iterations: [
      { iteration: 1, evaluation: response(5.5) },
      { iteration: 2, evaluation: response(8.2) },
    ],
    best: 2,
    content: "x",
    score: 8.2,
  } as const
  const text = (summary: Summary.Summary) => Summary.text(summary, Display.painter(false)).split("\n")

  it("states the outcome, the first and the best score, and the paths", () => {
    const summary = Summary.make(
      "reached-target",
      8,
      { ...result, stop: "reached-target" },
      { document: "/a/b.md", report: "/a/b.html" },
    )
    assert.deepStrictEqual(text(summary), [
      "The target is reached. Score 5.5 → 8.2, the best of 2 (number 2); 8.0 was needed.",
      "Document: /a/b.md",
      "Report:   /a/b.html",
    ])
  })

  it("states the problem, and that the original is the best", () => {
    const only = { ...result, iterations: [result.iterations[0]], best: 1, score: 5.5, stop: "failed" } as const
    const summary = Summary.make("failed", 8, only, { document: null, report: null })
    assert.deepStrictEqual(text({ ...summary, problem: "The writer is out of ink." }), [
      "The loop failed. Score 5.5; 8.0 was needed.",
      "The writer is out of ink.",
      "No version scored higher than the original: no document was written.",
    ])
    const nothing = Summary.make("cancelled", 8, undefined, { document: null, report: null })
    assert.deepStrictEqual(text(nothing), ["Cancelled."])
  })
})
