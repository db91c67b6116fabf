import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as JsonBounds from "../src/JsonBounds.ts"
import * as LineFramer from "../src/LineFramer.ts"

const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
const elementsOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, element) => sum + 1 + elementsOf(element), 0)
    : 0

/** The limit exceeded by a text whose bytes are cut in these places. */
const judged = (text: string, places: ReadonlyArray<number>, bounds: JsonBounds.JsonBounds) => {
  const bytes = Buffer.from(text)
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const push = JsonBounds.gauge(bounds)
  return cuts
    .slice(1)
    .map((end, at) => push(bytes.subarray(cuts[at], end)))
    .at(-1)
}

const json = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, "\t")).map(([value, space]) => ({
  value: JSON.parse(JSON.stringify(value)) as unknown,
  text: JSON.stringify(value, null, space),
}))

/** Texts with quotes and backslashes anywhere, also far from the beginning of a string. */
const awkward = fc.array(fc.constantFrom('"', "\\", "[", "{", ",", "é", "x".repeat(40))).map((parts) => parts.join(""))

describe("JsonBounds", () => {
  it("counts the depth and the values that `JSON.parse` finds, wherever the bytes are cut", () => {
    const value = fc.oneof(
      json,
      fc.array(awkward).map((value) => ({ value, text: JSON.stringify(value) })),
    )
    fc.assert(
      fc.property(value, fc.array(fc.nat()), ({ text, value }, places) => {
        const [maxDepth, maxElements] = [depthOf(value), elementsOf(value)]
        assert.isUndefined(judged(text, places, { maxDepth, maxElements }))
        assert.isUndefined(JsonBounds.check(text, { maxDepth, maxElements }))
        if (maxDepth > 0) {
          assert.strictEqual(judged(text, places, { maxDepth: maxDepth - 1, maxElements }), "depth")
        }
        if (maxElements > 0) {
          assert.strictEqual(judged(text, places, { maxDepth, maxElements: maxElements - 1 }), "elements")
        }
      }),
      { numRuns: 100 },
    )
  })

  it("takes time linear in the size of the text", () => {
    const bounds = { maxDepth: 1, maxElements: 1 }
    const begin = performance.now()
    for (const filling of ["\\\\", '\\"', "x\\"]) {
      assert.isUndefined(JsonBounds.check(`"${filling.repeat(4 * 1024 * 1024)}`, bounds))
    }
    // A linear pass takes a tenth of a second; the limit catches quadratic time.
    assert.isBelow(performance.now() - begin, 30_000)
  })
})

describe("a line whose JSON exceeds the bounds (promise 14)", () => {
  const heard = (pieces: ReadonlyArray<string>) => {
    const said: Array<string> = []
    const push = LineFramer.make(
      64 * 1024 * 1024,
      { line: (line) => said.push(line.slice(0, 9)), oversize: (excess) => said.push(`OVERSIZE ${excess}`) },
      { bounds: { maxDepth: 10, maxElements: 1_000 } },
    )
    for (const piece of pieces) push(Buffer.from(piece))
    return said
  }
  const mebibyte = 1024 * 1024

  it("is discarded as it arrives and reported once, and the next line is emitted", () => {
    const wide = `${"[],".repeat(100_000)}`
    assert.deepStrictEqual(heard(["a\n[", ...Array.from({ length: 10 }, () => wide), "1]\nb\n"]), [
      "a",
      "OVERSIZE elements",
      "b",
    ])
    assert.deepStrictEqual(heard(["[".repeat(mebibyte), "[", "]\nb\n"]), ["OVERSIZE depth", "b"])
  })

  it("is reported before its end", () => {
    assert.deepStrictEqual(heard(["[".repeat(mebibyte), "["]), ["OVERSIZE depth"])
  })

  it("is emitted if it has at most 1 MiB, and so is a larger line within the bounds", () => {
    assert.deepStrictEqual(heard([`${"[".repeat(mebibyte)}\n`]), ["[[[[[[[[["])
    assert.deepStrictEqual(heard([`["${"[,".repeat(mebibyte)}"]\n`, "b\n"]), ['["[,[,[,[', "b"])
  })
})
