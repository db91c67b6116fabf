import { assert, describe, it } from "@effect/vitest"
import * as Rubric from "@zain/loopsmith/Rubric"
import * as Result from "effect/Result"
import fc from "fast-check"

const rubric = (input?: unknown) => Result.getOrThrow(Rubric.make(input))
const refused = (input: unknown) => Result.getOrThrow(Result.flip(Rubric.make(input)))
const sum = (weights: Rubric.PerCriterion) => Rubric.criteria.reduce((all, one) => all + weights[one], 0)
const close = (actual: Rubric.PerCriterion, expected: Rubric.PerCriterion) => {
  for (const one of Rubric.criteria) assert.approximately(actual[one], expected[one], 1e-12, one)
}

const weight = fc.oneof(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, 5e-324, 1e308))
const partial = fc.record(
  Rubric.map(() => weight),
  { requiredKeys: [] },
)

describe("Rubric", () => {
  it("is completed with the defaults and scaled to the sum 1", () => {
    close(rubric({ clarity: 0.2 }), Rubric.defaults)
    close(rubric({ clarity: 0 }), { completeness: 0.375, accuracy: 0.375, clarity: 0, usability: 0.25 })
    close(rubric({ completeness: 6, accuracy: 2, clarity: 1, usability: 1 }), {
      completeness: 0.6,
      accuracy: 0.2,
      clarity: 0.1,
      usability: 0.1,
    })
  })

  it("has only finite weights, however huge or tiny the input is (LoopSmith 6)", () => {
    close(
      rubric(Rubric.map(() => 1e308)),
      Rubric.map(() => 0.25),
    )
    close(
      rubric(Rubric.map(() => 5e-324)),
      Rubric.map(() => 0.25),
    )
    fc.assert(
      fc.property(partial, (input) => {
        const made = Rubric.make(input)
        if (Result.isFailure(made)) return Rubric.criteria.every((one) => input[one] === 0)
        return Rubric.criteria.every((one) => made.success[one] >= 0) && Math.abs(sum(made.success) - 1) < 1e-9
      }),
    )
  })

  it.each([
    [Rubric.map(() => 0), "Nothing counts: at least one weight must be above 0."],
    [{ clarity: -0.1 }, "`clarity` is not valid"],
    [{ clarity: Number.NaN }, "`clarity` is not valid"],
    [{ clarity: Number.POSITIVE_INFINITY }, "`clarity` is not valid"],
    [{ clarity: "1" }, "`clarity` is not valid"],
    [{ clarity: null }, "`clarity` is not valid"],
    [{ beauty: 1 }, "`beauty` is not known here"],
    [JSON.parse('{ "__proto__": { "clarity": 1 } }'), "`__proto__` is not known here"],
    [null, "the value is not valid"],
    [[1, 2, 3, 4], "is not"],
    ["clarity", "the value is not valid"],
  ])("rejects %j with a sentence (LoopSmith 3)", (input, problem) => {
    assert.include(refused(input), problem)
  })

  it("is rounded to whole per cent by `percent`", () => {
    assert.deepStrictEqual(Rubric.percent(rubric()), { completeness: 30, accuracy: 30, clarity: 20, usability: 20 })
    assert.strictEqual(Rubric.percent(rubric({ completeness: 0.07, accuracy: 0.53 })).completeness, 7)
    assert.deepStrictEqual(Rubric.percent(rubric({ completeness: 1, accuracy: 1, clarity: 1, usability: 0 })), {
      completeness: 33,
      accuracy: 33,
      clarity: 33,
      usability: 0,
    })
  })
})
