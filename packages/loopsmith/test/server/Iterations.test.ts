import { assert, describe, it } from "@effect/vitest"
import * as Iterations from "../../src/server/Iterations.ts"

describe("the number of an evaluation", () => {
  it("is one more than there were, and than are under way", () => {
    const { begin } = Iterations.make(9)
    const [one, two] = [begin(), begin()]
    two.end("below")
    assert.strictEqual(begin().number, 3)
    one.end("below")
    assert.strictEqual(begin().number, 4)
  })

  it("is never one that is under way", () => {
    const { begin } = Iterations.make(9)
    const [one, two, three] = [begin(), begin(), begin()]
    one.end("nothing")
    two.end("nothing")
    const others = [begin(), begin()].map(({ number }) => number)
    assert.strictEqual(new Set([three.number, ...others]).size, 3)
  })

  it("is 1 after a pass, whatever becomes of those that had begun before", () => {
    const { begin } = Iterations.make(9)
    const [one, two, three] = [begin(), begin(), begin()]
    one.end("passed")
    two.end("below")
    const next = begin()
    assert.strictEqual(next.number, 1)
    three.end("passed")
    next.end("below")
    assert.strictEqual(begin().number, 2)
  })

  it("is at most the most, and then 1 again", () => {
    const { begin } = Iterations.make(2)
    assert.deepStrictEqual(
      [begin(), begin(), begin()].map(({ number }) => number),
      [1, 2, 1],
    )
  })
})
