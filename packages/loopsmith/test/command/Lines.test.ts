/**
 * The lines of a loop and its summary, and their protection against control characters.
 */
import { assert, describe, it } from "@effect/vitest"
import { clean } from "@zain/command/PlainText"
import * as Lines from "../../src/command/Lines.ts"
import * as Summary from "../../src/command/Summary.ts"
import type { LoopEvent } from "../../src/LoopEvent.ts"
import { response } from "../Loops.ts"

const about = { judge: "Codex", writer: "Claude Code", maxIterations: 5 }

const evaluated = (iteration: number, score: number, suggestions: ReadonlyArray<string>, gain?: number): LoopEvent => ({
  _tag: "Evaluated",
  iteration,
  evaluation: response(score, { suggestions }),
  ...(gain === undefined ? {} : { gain }),
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

  it("is cleaned in lines and in the summary", () => {
    const lines = Lines.of(about, evaluated(1, 5, [hostile]), Lines.painter(false))
    const failed: LoopEvent = { _tag: "StateChanged", state: "HandlingError", note: hostile }
    const summary = {
      ...Summary.make("failed", 8, undefined, { document: hostile, report: hostile }),
      problem: hostile,
    }
    const all = [
      ...lines,
      ...Lines.of(about, failed, Lines.painter(false)),
      ...Summary.text(summary, Lines.painter(false)).split("\n"),
    ]
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
    for (const line of all) assert.notMatch(line, /[\u0000-\u001f\u007f-\u009f\u202e\u2028]/, JSON.stringify(line))
  })
})

describe("Lines.of", () => {
  it("renders each step in words, and no line for other changes of state", () => {
    const say = (event: LoopEvent) => Lines.of(about, event, Lines.painter(false))
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

  it("formats times in minutes and hours", () => {
    const times = [0, 999, 65_000, 3_661_000, -5]
    assert.deepStrictEqual(times.map(Lines.clock), ["0:00", "0:00", "1:05", "1:01:01", "0:00"])
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
  const text = (summary: Summary.Summary) => Summary.text(summary, Lines.painter(false)).split("\n")

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
