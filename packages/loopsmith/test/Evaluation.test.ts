import { assert, describe, it } from "@effect/vitest"
import * as Evaluation from "@zain/loopsmith/Evaluation"
import * as Rubric from "@zain/loopsmith/Rubric"
import { Duration, Result, Schema } from "effect"

const request = (input: Parameters<typeof Evaluation.request>[0]) => Result.getOrThrow(Evaluation.request(input))
const refused = (input: Parameters<typeof Evaluation.request>[0]) =>
  Result.getOrThrow(Result.flip(Evaluation.request(input)))

const judgement: Evaluation.Judgement = { score: 8, rubric_scores: Rubric.map(() => 8), suggestions: [] }

describe("Evaluation.request", () => {
  it("fills in the default rubric, the target 8 and the iteration 1", () => {
    const content = "# 日本語 😀\r\n"
    assert.deepStrictEqual(request({ content }), { content, rubric: Rubric.defaults, target: 8, iteration: 1 })
  })

  it.each([
    [undefined, "must be a string."],
    [null, "must be a string."],
    [7, "must be a string."],
    [["text"], "must be a string."],
    ["", "is empty."],
    ["PNG\0\0", "is binary, not text."],
    ["half \ud83d of it", "is binary, not text."],
    ["half \ude00 of it", "is binary, not text."],
    ["x".repeat(Evaluation.maxDocumentLength + 1), "has 1000001 characters, and may have 1000000."],
    ["日".repeat(Evaluation.maxDocumentLength + 1), "has 1000001 characters, and may have 1000000."],
  ])("rejects an invalid document (%#; LoopSmith 3)", (content, problem) => {
    assert.strictEqual(refused({ content }), `The document ${problem}`)
  })

  it("accepts a document of a space, of one emoji, and of 1,000,000 characters", () => {
    for (const content of [" ", "😀", "x".repeat(Evaluation.maxDocumentLength)])
      assert.strictEqual(request({ content }).content, content)
  })

  it.each([-0.1, 10.1, Number.NaN, Number.POSITIVE_INFINITY])("rejects a target of %d (LoopSmith 3)", (target) => {
    assert.include(refused({ content: "x", target }), "from 0 to 10")
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("rejects an iteration of %d", (iteration) => {
    assert.include(refused({ content: "x", iteration }), "a whole number from 1")
  })
})

describe("Evaluation.respond", () => {
  it.each([
    [8, 8, true],
    [7.999, 8, false],
    [0, 0, true],
    [3.5, 0, true],
    [10, 10, true],
    [9.99, 10, false],
  ])("compares the score %d with the target %d and sets `pass` to %s (LoopSmith 6)", (score, target, pass) => {
    const response = Evaluation.respond(
      request({ content: "x", target, iteration: 3 }),
      { ...judgement, score },
      Duration.millis(12.6),
      "codex",
    )
    assert.strictEqual(response.pass, pass)
    assert.strictEqual(response.score, score)
    assert.deepStrictEqual(response.metadata, { iteration: 3, evaluation_time: 13, model_used: "codex" })
    assert.deepStrictEqual(Schema.decodeUnknownSync(Evaluation.EvaluationResponse)(response), response)
  })
})
