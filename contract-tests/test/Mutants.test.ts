import * as Effect from "effect/Effect"
import { beforeAll, describe, expect, it } from "vitest"
import * as McpClientContractSuite from "../src/McpClientContractSuite.ts"
import { brokenApprovals } from "./mutants/BrokenApprovals.ts"
import { brokenEndings } from "./mutants/BrokenEndings.ts"
import { brokenStates } from "./mutants/BrokenStates.ts"
import { brokenTurns } from "./mutants/BrokenTurns.ts"
import { type Mutant, subjectOf } from "./mutants/Mutant.ts"

const mutants = [...brokenStates, ...brokenTurns, ...brokenApprovals, ...brokenEndings]

/** What a case that hangs costs. */
const caseLimit = "1 second"

const check = (mutant: Mutant) =>
  Effect.map(McpClientContractSuite.check(subjectOf(mutant), { caseLimit }), (report) => [mutant.name, report] as const)

it("a sound client passes", async () => {
  const report = await Effect.runPromise(McpClientContractSuite.check(subjectOf({ name: "sound" })))
  expect(McpClientContractSuite.format(report)).toBe(
    `sound: ${McpClientContractSuite.cases.length} passed, 0 failed, 0 skipped`,
  )
  expect(report.ok).toBe(true)
})

describe("a client that", () => {
  const reports = new Map<string, McpClientContractSuite.Report>()

  beforeAll(async () => {
    const all = await Effect.runPromise(Effect.forEach(mutants, check, { concurrency: 12 }))
    for (const [name, report] of all) reports.set(name, report)
  }, 120_000)

  for (const { caughtBy, name } of mutants) {
    it(`${name} fails ${caughtBy}`, () => {
      const { ok, results } = reports.get(name) as McpClientContractSuite.Report
      const failed = results.filter(({ status }) => status === "failed").map(({ id }) => id)
      expect(ok).toBe(false)
      expect(failed).toContain(caughtBy)
      expect(failed).toContain("suite.whole")
    })
  }
})
