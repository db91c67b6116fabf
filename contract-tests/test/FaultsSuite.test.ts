import { describe, expect, it } from "vitest"
import * as McpClientFaultSuite from "../src/McpClientFaultSuite.ts"
import { parrot } from "./faults/ParrotSubject.ts"

const { faults } = McpClientFaultSuite

describe("every fault", () => {
  it("has an id of its own", () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
  })

  it.each(faults)("$id cites existing promises, and describes what its server does", ({ promises, title }) => {
    expect(promises.length).toBeGreaterThan(0)
    for (const promise of promises) expect(promise >= 1 && promise <= 24).toBe(true)
    expect(title).toMatch(/^[a-z].*[^.]$/u)
  })

  it("with `endsBy` sets that limit, so that no run waits for the usual one", () => {
    for (const { endsBy, id, limits } of faults) {
      if (endsBy !== undefined) expect(limits?.[endsBy], id).toBeLessThanOrEqual(1_000)
    }
  })
})

describe("`McpClientFaultSuite.problems` reports", () => {
  const { problems } = McpClientFaultSuite

  it("an `answer` without `answerText`", () => {
    expect(problems({ ...parrot, answer: { content: [] } })).toEqual(["`answer` does not hold answerText."])
  })

  it("an excuse for an unknown fault, and an excuse without a reason", () => {
    expect(problems({ ...parrot, cannot: { "no-such-fault": "too lazy", "call-500": " " } })).toEqual([
      "cannot.no-such-fault excuses nothing: there is no such fault. Remove it.",
      "cannot.call-500 gives no reason.",
    ])
  })
})
