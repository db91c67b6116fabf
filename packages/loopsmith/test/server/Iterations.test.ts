import { assert, describe, it } from "@effect/vitest"
import * as Iterations from "../../src/server/Iterations.ts"

describe("the number of an iteration", () => {
  it("is one more than all finished evaluations and all under way", () => {
    const { begin } = Iterations.make(9)
    const [one, two] = [begin(), begin()]
    two.end("below")
    assert.strictEqual(begin().number, 3)
    one.end("below")
    assert.strictEqual(begin().number, 4)
  })

  it("is never the number of an evaluation under way", () => {
    const { begin } = Iterations.make(9)
    const [one, two, three] = [begin(), begin(), begin()]
    one.end("nothing")
    two.end("nothing")
    const others = [begin(), begin()].map(({ number }) => number)
    assert.strictEqual(new Set([three.number, ...others]).size, 3)
  })

  it("is 1 after a pass, whatever the outcome of evaluations that started before", () => {
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
})
