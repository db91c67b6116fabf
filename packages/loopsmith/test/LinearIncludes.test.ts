import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { linearIncludes } from "../src/LinearIncludes.ts"

describe("linearIncludes", () => {
  it("agrees with `String.includes` for any texts", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "{", "😀"), maxLength: 40 })
    const quoted = fc.string({ unit: fc.constantFrom("a", "b", "{", "😀"), minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(text, quoted, text, (before, quoted, after) => {
        assert.isTrue(linearIncludes(`${before}${quoted}${after}`, quoted))
        assert.strictEqual(linearIncludes(before, quoted), before.includes(quoted))
      }),
      { numRuns: 1_000 },
    )
  })
})
