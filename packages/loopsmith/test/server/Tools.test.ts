/**
 * The listing of the two tools, and their rejected calls.
 */
import { assert, describe } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import * as Effect from "effect/Effect"
import { byHand, ready, sdk } from "./Clients.ts"

const zeros = { completeness: 0, accuracy: 0, clarity: 0, usability: 0 }
const max = 1_000_000

describe("the LoopSmith server", () => {
  test("names itself, and explains the loop with its own numbers in its instructions (LoopSmith 3)", function* () {
    const { server } = byHand({ targetScore: 7.5, maxIterations: 4 })
    const client = yield* sdk(server)
    assert.deepInclude(client.sdk.getServerVersion(), { name: "loopsmith", title: "LoopSmith", version: "1.2.3" })
    const instructions = client.sdk.getInstructions() ?? ""
    for (const word of ["evaluate_document", "`pass`", "`suggestions`", "score of 7.5", "after 4 evaluations"]) {
      assert.include(instructions, word)
    }
  })

  test("asks for a score of 8 within 5 evaluations by default", function* () {
    const instructions = (yield* sdk(byHand().server)).sdk.getInstructions() ?? ""
    assert.include(instructions, "a score of 8 of 10")
    assert.include(instructions, "after 5 evaluations")
  })

  test("lists two read-only tools with input and output schemas (LoopSmith 3)", function* () {
    const client = yield* sdk(byHand().server)
    const { tools } = yield* Effect.promise(() => client.sdk.listTools())
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["evaluate_document", "get_improvement_suggestions"],
    )
    for (const { annotations, inputSchema, outputSchema } of tools) {
      assert.deepInclude(annotations, { readOnlyHint: true, idempotentHint: false, openWorldHint: true })
      assert.deepInclude(inputSchema, { type: "object", required: ["content"], additionalProperties: false })
      assert.strictEqual(outputSchema?.type, "object")
      // JSON has no NaN.
      assert.notInclude(JSON.stringify(outputSchema), "NaN")
    }
    const [evaluate, suggest] = tools
    assert.hasAllKeys(evaluate?.inputSchema.properties, ["content", "rubric", "target_score"])
    assert.deepNestedInclude(evaluate, {
      "inputSchema.properties.target_score.maximum": 10,
      "inputSchema.properties.target_score.default": 8,
      "inputSchema.properties.rubric.properties.clarity": { type: "number", minimum: 0, default: 0.2 },
    })
    assert.deepStrictEqual(evaluate?.outputSchema?.required, [
      "score",
      "rubric_scores",
      "pass",
      "suggestions",
      "metadata",
    ])
    assert.hasAllKeys(suggest?.inputSchema.properties, ["content", "rubric", "previous_score"])
    assert.deepStrictEqual(suggest?.outputSchema?.required, ["suggestions", "score"])
  })
})

describe("an invalid call", () => {
  const wrong: ReadonlyArray<readonly [what: string, args: unknown, sentence: RegExp]> = [
    ["no arguments", undefined, /^`content` is missing: expected a string\.$/],
    ["no content", {}, /^`content` is missing: expected a string\.$/],
    ["content as a number", { content: 7 }, /^`content` is not valid: expected a string\.$/],
    ["empty content", { content: "" }, /^`content`: .*empty/],
    ["a NUL in the content", { content: "PK\u0000\u0003" }, /^`content`: .*binary/],
    ["one character too many", { content: "語".repeat(max + 1) }, /^`content`: .*may have 1000000/],
    ["a rubric of zeros", { content: "x", rubric: zeros }, /^`rubric`: .*above 0/],
  ]
  const only: ReadonlyArray<readonly [tool: string, argument: string]> = [
    ["evaluate_document", "target_score"],
    ["get_improvement_suggestions", "previous_score"],
  ]
  const scores = only.flatMap(([tool, argument]) =>
    [-0.1, 10.1, "8", null, true].map((value) => ({ tool, argument, value })),
  )

  for (const tool of ["evaluate_document", "get_improvement_suggestions"]) {
    test.each(wrong)(`is rejected with -32602 and a reason: %s, ${tool} (LoopSmith 3)`, function* ([, args, sentence]) {
      const { judge, server } = byHand()
      const client = yield* ready(server)
      const { error } = yield* client.ask("tools/call", { name: tool, arguments: args }, 1)
      assert.strictEqual(error?.code, -32602)
      assert.match(error?.message ?? "", sentence)
      assert.isBelow(error?.message.length ?? 0, 1024)
      assert.deepStrictEqual(judge.asked, [])
    })
  }

  test.each(scores)("is rejected with -32602: $argument $value (LoopSmith 3)", function* ({ argument, tool, value }) {
    const { judge, server } = byHand()
    const client = yield* ready(server)
    const asked = { name: tool, arguments: { content: "x", [argument]: value } }
    const { error } = yield* client.ask("tools/call", asked, 1)
    assert.strictEqual(error?.code, -32602)
    assert.match(error?.message ?? "", new RegExp(`^\`${argument}\` is not valid: expected a number from 0 to 10\\.$`))
    assert.deepStrictEqual(judge.asked, [])
  })

  test("is rejected with -32602 and the names of the tools when the tool is unknown (LoopSmith 3)", function* () {
    const client = yield* ready(byHand().server)
    for (const name of ["evaluate", "", "__proto__", "constructor", "x".repeat(10_000)]) {
      const { error } = yield* client.ask("tools/call", { name, arguments: { content: "x" } }, `of ${name}`)
      assert.strictEqual(error?.code, -32602)
      assert.match(error?.message ?? "", /evaluate_document and get_improvement_suggestions\.$/)
      assert.isBelow(error?.message.length ?? 0, 1024)
    }
  })
})
