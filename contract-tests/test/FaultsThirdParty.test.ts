import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as McpClientFaultSuite from "../src/McpClientFaultSuite.ts"
import { parrot } from "./faults/ParrotSubject.ts"

const only = ["healthy", "call-unanswered", "is-error", "dies-exit-42", "call-500", "result-empty"]

it("a client whose `supports` keeps conversations passes the fault suite on every transport, and conversations must continue", async () => {
  const report = await Effect.runPromise(McpClientFaultSuite.check(parrot, { only }))
  expect(report.results.flatMap(({ problems, status }) => (status === "failed" ? problems : []))).toEqual([])
  const outcomes = new Map(report.results.map(({ id, outcome, transport }) => [`${id} ${transport}`, outcome]))
  for (const transport of parrot.transports) {
    expect(outcomes.get(`call-unanswered ${transport}`)).toBe("stalled, unknown; then answers")
    expect(outcomes.get(`is-error ${transport}`)).toBe("is-error; then answers")
  }
  expect(outcomes.has("dies-exit-42 sse")).toBe(false)
  expect(outcomes.has("call-500 stdio")).toBe(false)
  expect(report.ok).toBe(true)

  const table = McpClientFaultSuite.format(report)
  expect(table).toMatch(/^fault +transport +outcome +ms +sibling ms +stall ms +MiB$/m)
  expect(table).toMatch(/^call-500 +sse +ok +server-error, unknown; then answers +\d+ +\d+ +\d+ +\d+$/m)
  expect(table).toContain("excused  result-empty over stdio: A parrot that says nothing has answered.")
  expect(table).toMatch(/^parrot: \d+ passed, 0 failed, 3 excused$/m)
})
