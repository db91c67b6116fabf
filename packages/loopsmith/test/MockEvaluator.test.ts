import { assert, describe, it } from "@effect/vitest"
import * as MockEvaluator from "@zain/loopsmith/MockEvaluator"
import * as Rubric from "@zain/loopsmith/Rubric"

const judge = (content: string) => MockEvaluator.judge(content, Rubric.defaults)

describe("MockEvaluator.judge", () => {
  it.each([
    ["plain", { completeness: 0.05, accuracy: 5, clarity: 4, usability: 5 }],
    ["x".repeat(5_000), { completeness: 10, accuracy: 5, clarity: 4, usability: 5 }],
    ["a ``` b", { completeness: 0.07, accuracy: 8, clarity: 4, usability: 5 }],
    ["###### T", { completeness: 0.08, accuracy: 5, clarity: 4, usability: 5 }],
    ["####### T\n- a", { completeness: 0.13, accuracy: 5, clarity: 4, usability: 7 }],
    ["#T\n-a", { completeness: 0.05, accuracy: 5, clarity: 4, usability: 5 }],
    ["T\n12. a", { completeness: 0.07, accuracy: 5, clarity: 4, usability: 7 }],
    ["# T\r\n* a", { completeness: 0.08, accuracy: 5, clarity: 7, usability: 7 }],
    ["+ a\n## T", { completeness: 0.08, accuracy: 5, clarity: 7, usability: 7 }],
  ])("scores a text by its form (%#)", (content, scores) => {
    assert.deepStrictEqual(judge(content).rubric_scores, scores)
  })

  it.each(["# ".repeat(500_000), "1".repeat(1_000_000), "\n".repeat(1_000_000), "`` ".repeat(300_000)])(
    "completes in linear time for 1 MB of any text (%#)",
    (content) => {
      assert.isAtLeast(judge(content).score, 0)
    },
  )
})
