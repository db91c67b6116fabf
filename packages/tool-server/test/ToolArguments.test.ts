import { assert, describe, it } from "@effect/vitest"
import * as ToolArguments from "@zain/tool-server/ToolArguments"
import { Result, Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

const { read, schema } = ToolArguments.make(
  Schema.Struct({
    content: Schema.String,
    target: Schema.optionalKey(between(0, 10)),
    kind: Schema.optionalKey(Schema.Literals(["short", "long"])),
    rubric: Schema.optionalKey(
      Schema.Struct({ clarity: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))) }),
    ),
  }),
)

describe("the arguments of a tool", () => {
  it.each([
    ["nothing", {}, "`content`"],
    ["another type", { content: 1 }, "`content` is not valid: expected a string."],
    [
      "a number above the maximum",
      { content: "", target: 11 },
      "`target` is not valid: expected a number from 0 to 10.",
    ],
    ["NaN", { content: "", target: Number.NaN }, "`target` is not valid: expected a number from 0 to 10."],
    ["an unknown choice", { content: "", kind: "x" }, '`kind` is not valid: expected one of "short", "long".'],
    [
      "an invalid nested argument",
      { content: "", rubric: { clarity: -1 } },
      "`rubric.clarity` is not valid: expected a number from 0.",
    ],
    ["a number for an object", { content: "", rubric: 1 }, "`rubric` is not valid: expected an object."],
    ["an unknown argument", { content: "", more: 1 }, "this tool takes content, target, kind, rubric."],
    [
      "an unknown nested argument",
      { content: "", rubric: { more: 1 } },
      "`rubric.more` is not known here: it takes clarity.",
    ],
    [
      "an argument named as a member of objects",
      { content: "", constructor: 1 },
      "this tool takes content, target, kind, rubric.",
    ],
  ])("are rejected by name, with the expected value (promise 24): %s", (_, given, said) => {
    const problem = read(given)
    assert.include(Result.isFailure(problem) ? problem.failure : "taken", String(said))
  })

  it("are read if valid, and their bounds are in the schema", () => {
    const given = { content: "x", target: 0, rubric: {} }
    assert.deepStrictEqual(read(given), Result.succeed(given))
    assert.deepInclude(schema.properties?.["target"], { type: "number", minimum: 0, maximum: 10 })
  })
})
