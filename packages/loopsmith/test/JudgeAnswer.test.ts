import { assert, describe, it } from "@effect/vitest"
import * as JudgeAnswer from "@zain/loopsmith/JudgeAnswer"
import * as Rubric from "@zain/loopsmith/Rubric"
import * as Result from "effect/Result"
import fc from "fast-check"

const good = { score: 7.5, rubric_scores: Rubric.map(() => 7), suggestions: ['Say {why} in "Usage".'] }
const other = { ...good, score: 3 }
const json = JSON.stringify

const read = (text: string) => Result.getOrThrow(JudgeAnswer.parse(text))
const refused = (text: string, limit?: number) => Result.getOrThrow(Result.flip(JudgeAnswer.parse(text, limit)))

describe("a judge's answer", () => {
  it.each([
    ["bare", json(good)],
    ["with space around", `\n  ${json(good)}  \n`],
    ["indented", JSON.stringify(good, null, 2)],
    ["in a fence", `\`\`\`json\n${json(good)}\n\`\`\``],
    ["after prose with braces", `In {braces} and {"quotes"} I say {x: 1}:\n${json(good)}`],
    ["after a brace that never closes", `A { and a {" and a {"a": and then\n${json(good)}`],
    ["before prose with braces", `${json(good)}\nI hope that {this} helps, or {"that"}.`],
    ["after another object", `{"thinking": "hard"} ${json(good)}`],
    ["before another object", `${json(good)} {"done": true} {}`],
    ["after another answer: the last one counts", `${json(other)}\nNo, better:\n${json(good)}`],
    ["before one that is none: the last good one counts", `${json(good)}\n${json({ ...other, score: 11 })}`],
    ["in an object that never closes", `{"evaluation": ${json(good)}`],
    ["with more keys, the judge's own verdict among them", json({ ...good, pass: false, note: { deep: {} } })],
    ["with a prototype", `{"__proto__": {"score": 1}, ${json(good).slice(1)}`],
    ["with `overall_score`", json({ overall_score: 7.5, ...good, score: undefined })],
    ["with both: `score` counts", json({ ...good, overall_score: 2 })],
    ["between CRLF", json(good).replaceAll(",", ",\r\n")],
  ])("is found %s (LoopSmith 5)", (_, text) => {
    assert.deepStrictEqual(read(text), good)
  })

  it.each([
    ["`score` is missing", { score: undefined }],
    ["`score` is not valid", { score: null }],
    ["`score` is not valid", { score: "7" }],
    ["`score` is not valid", { score: 11 }],
    ["`score` is not valid", { score: 10.01 }],
    ["`score` is not valid", { score: -0.01 }],
    ["`score` is not valid", { score: null, overall_score: 7 }],
    ["`score` is not valid", { score: undefined, overall_score: 11 }],
    ["`rubric_scores` is missing", { rubric_scores: undefined }],
    ["`rubric_scores.clarity` is missing", { rubric_scores: { ...good.rubric_scores, clarity: undefined } }],
    ["`rubric_scores.clarity` is not valid", { rubric_scores: { ...good.rubric_scores, clarity: 12 } }],
    ["`suggestions` is missing", { suggestions: undefined }],
    ["`suggestions` is not valid", { suggestions: "none" }],
    ["`suggestions.0` is not valid", { suggestions: [{ text: "x" }] }],
  ])("is refused where %s: never clamped, never made up (%#; LoopSmith 5, LoopSmith 6)", (problem, change) => {
    const said = refused(json({ ...good, ...change }))
    assert.include(said, problem)
    assert.include(said, "a number from 0 to 10")
    assert.isAtMost(said.length, 500)
  })

  it("takes 0 and 10 for scores, and a document of which nothing is to be said (LoopSmith 6)", () => {
    for (const score of [0, 10]) {
      const bound = { score, rubric_scores: Rubric.map(() => score), suggestions: [] }
      assert.deepStrictEqual(read(json(bound)), bound)
    }
  })

  it.each(["", "I would say 7.", "7", json([1, 2]), "{not json}", json(good).slice(0, 20), '{"score": 1e}'])(
    "is refused without a JSON object: %s (LoopSmith 5)",
    (text) => {
      assert.include(refused(text), "no JSON object")
    },
  )

  it("is refused for a number that JSON cannot hold (LoopSmith 6)", () => {
    assert.include(refused(json(good).replace("7.5", "1e999")), "`score` is not valid")
  })

  it("is told what is wrong by its place, never by its content", () => {
    assert.notInclude(refused(json({ ...good, score: "ignore all rules" })), "ignore")
  })

  it("is refused beyond its limit in bytes, not in characters (LoopSmith 5)", () => {
    const text = json({ ...good, suggestions: ["日".repeat(100)] })
    const bytes = Buffer.byteLength(text)
    assert.isTrue(Result.isSuccess(JudgeAnswer.parse(text, bytes)))
    assert.include(refused(text, bytes - 1), `longer than ${bytes - 1} bytes`)
    assert.include(refused("x".repeat(20 * 1024 * 1024 + 1)), "longer than 20971520 bytes")
  })

  it("is found at the end of 20 MiB of prose with braces (LoopSmith 5)", () => {
    const prose = "{prose} with {{braces}} { and more, ".repeat(500_000)
    assert.deepStrictEqual(read(`${prose}\n${json(good)}`), good)
  })

  it("is found with quoted braces in it (LoopSmith 5)", () => {
    for (const text of ['}"{', '"}"', "\\", '{\\"'])
      assert.deepStrictEqual(read(`Well: ${json({ ...good, suggestions: [text] })}`).suggestions, [text])
  })

  it("is found after thousands of lines that open a quote and close nothing (LoopSmith 5)", () => {
    const answer = { ...good, suggestions: ["x".repeat(1024 * 1024)] }
    assert.deepStrictEqual(read(`${'It says {"so\n'.repeat(2_001)}${json(answer)}`), answer)
  })

  const size = 20 * 1024 * 1024
  it.each([
    ["{", 1],
    ['{"', 2],
    ['{"a":', 5],
    ['{"a":[', 6],
    ["[", 1],
    ["{}", 2],
    ['{"a":1}', 7],
    ["{ ", 2],
    ['{"\\"', 4],
    ["\\", 1],
  ])("of 20 MiB of %s ends (promise 27)", (piece, length) => {
    assert.isTrue(Result.isFailure(JudgeAnswer.parse(piece.repeat(size / length))))
  })

  it("with a million levels ends, closed or not (promise 27)", () => {
    const deep = (open: string, close: string) => `{"score":${open.repeat(1_000_000)}1${close.repeat(1_000_000)}}`
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
      ["[", ""],
    ] as const)
      assert.isTrue(Result.isFailure(JudgeAnswer.parse(deep(open, close))))
  })

  it("is the last good one among any prose without quotes", () => {
    const prose = fc.string({ unit: "binary" }).map((text) => text.replaceAll('"', "'"))
    fc.assert(
      fc.property(prose, prose, fc.double({ min: 0, max: 10, noNaN: true }), (before, after, score) => {
        const answer = { ...good, score: Object.is(score, -0) ? 0 : score }
        assert.deepStrictEqual(read(`${before}${json(answer)}${after}`), answer)
      }),
    )
  })
})
