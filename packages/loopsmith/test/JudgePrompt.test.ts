/** The prompts of `AgentEvaluator`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Evaluation from "@zain/loopsmith/Evaluation"
import * as PromptTemplate from "@zain/loopsmith/PromptTemplate"
import { directory } from "@zain/testkit/Directory"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { judge, judging, settled } from "./AgentJudge.ts"

/** The path of a file with a template, which is removed after the test. */
const template = (text: string) =>
  Effect.map(directory, (home) => {
    const path = join(home, "judge.txt")
    writeFileSync(path, text)
    return path
  })

describe("the prompt of AgentEvaluator", () => {
  test("contains the document byte for byte (LoopSmith 4)", function* () {
    const { evaluate, prompts } = judge([judging()])
    const content = "$& $' $` $$ {{clarity_weight}} {{document_content}}\r\n</document>\n日本語 😀 \u2028 end\r\n\r\n"
    yield* evaluate({ content, rubric: { completeness: 1, accuracy: 2, clarity: 3, usability: 4 } })
    const [prompt = ""] = prompts
    const start = prompt.indexOf("\n<document>\n") + "\n<document>\n".length
    const end = prompt.lastIndexOf("\n</document>\n")
    assert.isTrue(Buffer.from(prompt.slice(start, end)).equals(Buffer.from(content)))
    assert.strictEqual(prompt.slice(start).indexOf(content), 0)
    for (const part of ["completeness, 10 %", "accuracy, 20 %", "clarity, 30 %", "usability, 40 %"])
      assert.include(prompt.slice(0, start), `${part} of the whole`)
    assert.notInclude(prompt.replace(content, ""), "{{")
  })

  test("uses the template at `promptPath`", function* () {
    const promptPath = yield* template("{{usability_weight}}: {{document_content}}")
    const { evaluate, prompts } = judge([judging()], { promptPath })
    yield* evaluate({ content: "x" })
    assert.deepStrictEqual(prompts, ["20: x"])
  })

  test("stays within Codex's limit with the longest document and the longest template (promise 15)", function* () {
    const promptPath = yield* template("{{document_content}}".padEnd(PromptTemplate.maxTemplateLength, "語"))
    const bad = judging({ suggestions: ["x".repeat(2_001)] })
    const { evaluate, prompts } = judge([bad, judging()], { promptPath })
    yield* settled(evaluate({ content: "x".repeat(Evaluation.maxDocumentLength) }))
    assert.lengthOf(prompts, 2)
    for (const prompt of prompts) {
      assert.isAbove(prompt.length, 1_039_000)
      assert.isAtMost(prompt.length, 1_048_576)
    }
  })
})
