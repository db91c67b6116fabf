import { McpError } from "@zain/core"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { ContractSubject } from "../src/ContractSubject.ts"
import * as McpClientContractSuite from "../src/McpClientContractSuite.ts"
import { subjectOf } from "./mutants/Mutant.ts"

const { check, format, problems } = McpClientContractSuite
const sound = subjectOf({ name: "sound" })
const { peer, silent, ...blind } = sound

it("a sound subject has no problem", () => {
  expect(problems(sound)).toEqual([])
})

it("a missing capability without a reason is a problem", () => {
  expect(problems(blind)).toEqual([
    expect.stringContaining("cannot.observe."),
    expect.stringContaining("cannot.observe-cancel."),
    expect.stringContaining("cannot.leftovers."),
    expect.stringContaining("cannot.silent-server."),
  ])
})

it("a case that needs a capability which the subject neither has nor excuses fails without running, and names the key", async () => {
  const { results } = await Effect.runPromise(check(blind))
  const failed = results.filter(({ id, status }) => status === "failed" && id !== "suite.whole")
  expect(failed.length).toBeGreaterThan(10)
  for (const { millis, reason } of failed) {
    expect(millis).toBe(0)
    expect(reason).toMatch(/in cannot\.(observe|observe-cancel|leftovers|silent-server)\./)
  }
})

it("a failed case names only the excuses for what the agent has not shown in a case before", async () => {
  const [first] = McpClientContractSuite.cases
  const shown = McpClientContractSuite.cases.find(
    ({ needs }) => needs?.includes("approvals") === true && !needs.includes("reasons"),
  )
  if (first === undefined || shown === undefined) throw new Error("no case")
  const failing = { ...first, needs: ["approvals", "reasons"] as const, run: Effect.fail(new Error("no reason")) }
  const reasonAfter = async (status: "passed" | "failed") => {
    const earlier = [{ id: shown.id, title: "", verifies: [], status, millis: 0 }]
    return (await Effect.runPromise(McpClientContractSuite.runCase(sound, failing, earlier))).reason
  }
  expect(await reasonAfter("failed")).toMatch(/cannot\.approvals.*cannot\.reasons/)
  expect(await reasonAfter("passed")).toMatch(/^no reason (?!.*cannot\.approvals).*cannot\.reasons\.$/)
})

it("an excuse without a reason is a problem", () => {
  expect(problems({ ...sound, cannot: { events: " " } })).toEqual(["cannot.events gives no reason."])
})

it("an excuse for what the subject has is a problem", () => {
  expect(problems({ ...sound, cannot: { observe: "too lazy" } })).toEqual([
    expect.stringContaining("cannot.observe contradicts the subject"),
  ])
})

it("an excuse that no case needs is a problem, and fails the run", async () => {
  const cannot = { flying: "no wings" } as ContractSubject["cannot"]
  const report = await Effect.runPromise(check({ ...sound, ...(cannot === undefined ? {} : { cannot }) }))
  expect(report.problems).toEqual(["cannot.flying excludes nothing: no case needs it. Remove it."])
  expect(report.results.filter(({ status }) => status === "failed")).toEqual([])
  expect(report.ok).toBe(false)
})

it("a skipped case carries the reason, and the report lists what stays unproven", async () => {
  const reason = "the agent is far away"
  const cannot = { observe: reason, "observe-cancel": reason, leftovers: reason, "silent-server": reason }
  const report = await Effect.runPromise(check({ ...blind, cannot }))
  expect(report.ok).toBe(true)
  const skipped = report.results.filter(({ status }) => status === "skipped")
  expect(skipped.length).toBeGreaterThan(10)
  for (const result of skipped) expect(result.reason).toContain(reason)
  expect(report.unproven).toContain("rule-5.server-notified")
  expect(report.unproven).toContain("rule-4.fifo")
  expect(report.unproven).not.toContain("1.1")
  expect(format(report)).toContain(`skipped  open.silent-server: cannot silent-server: ${reason}`)
})

it("a case that does not end fails at its limit, also when it cannot be interrupted", async () => {
  const [first] = McpClientContractSuite.cases
  if (first === undefined) throw new Error("no case")
  const stuck = { ...first, run: Effect.uninterruptible(Effect.never) }
  const result = await Effect.runPromise(McpClientContractSuite.runCase(sound, stuck, [], { caseTimeout: 20 }))
  expect(result).toMatchObject({ status: "failed", reason: "It did not end within 20ms." })
})

it("a case that does not end names the excuse for a capability that the agent may lack", async () => {
  const [first] = McpClientContractSuite.cases
  if (first === undefined) throw new Error("no case")
  const stuck = { ...first, needs: ["usage"] as const, run: Effect.never }
  const { reason } = await Effect.runPromise(McpClientContractSuite.runCase(sound, stuck, [], { caseTimeout: 20 }))
  expect(reason).toMatch(/^It did not end within 20ms\. .* cannot\.usage\.$/)
})

it("a case that fails by a mistake of the adapter names no excuse", async () => {
  const [first] = McpClientContractSuite.cases
  if (first === undefined) throw new Error("no case")
  const mistake = new McpError.SessionClosed({
    reason: "conversation-lost",
    delivery: "not-sent",
    message: "An answer in this session had no thread id.",
  })
  const lost = { ...first, needs: ["approvals"] as const, run: Effect.fail(mistake) }
  const { reason } = await Effect.runPromise(McpClientContractSuite.runCase(sound, lost, []))
  expect(reason).toBe("An answer in this session had no thread id. (@zain/core/SessionClosed)")
})
