import { createHash } from "node:crypto"
import { assert, describe, expect } from "@effect/vitest"
import { test } from "@zain/testkit/Test"
import { Effect } from "effect"
import * as ErrorCodes from "../src/ErrorCodes.ts"
import * as Examples from "../testing/Examples.ts"
import * as ReferencePage from "../testing/ReferencePage.ts"

describe("the examples of docs/reference/blender-graphql.md", () => {
  test.live("have every field, argument, member and value of the schema (editors 003.7, 003.8)", function* () {
    const first = ReferencePage.firstExamples(yield* Examples.expected)
    assert.isAbove(ReferencePage.coordinates.length, 300)
    const missing = ReferencePage.coordinates.filter((coordinate) => !first.has(coordinate))
    assert.deepStrictEqual(missing, [])
  })

  test.live("have every error code, each in the answer to the example of its name (editors 003.9)", function* () {
    const answers = yield* Examples.expected
    const { examples } = Examples.sections["Examples of failures"]
    assert.deepStrictEqual(
      examples.map(({ name }) => name),
      [...ErrorCodes.codes],
    )
    for (const { name } of examples) assert.include(JSON.stringify(answers.get(name)), `"code":"${name}"`)
  })

  test.live("succeed, but for those of failures (editors 003.8)", function* () {
    const answers = yield* Examples.expected
    const failures = new Set(Examples.sections["Examples of failures"].examples)
    for (const example of Examples.all) {
      if (failures.has(example)) continue
      const answer = answers.get(example.name)
      assert.notProperty(answer, "errors", example.name)
      assert.notInclude(JSON.stringify(answer), '"success":false', example.name)
    }
  })

  test.live("have the answers that they had: a changed one is named by its line (editors 003.7)", function* () {
    const hash = (answer: unknown) => createHash("sha256").update(JSON.stringify(answer)).digest("hex").slice(0, 12)
    const lines = [...(yield* Examples.expected)].map(([name, answer]) => `${name} ${hash(answer)}\n`)
    yield* Effect.promise(() => expect(lines.join("")).toMatchFileSnapshot("answers.txt"))
  })
})
