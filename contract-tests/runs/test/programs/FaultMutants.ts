/**
 * Runs every broken client with the fault that must catch it, and prints the problems as JSON. It is a program of its own, as
 * broken clients harm their process.
 */

import { McpClientFaultSuite } from "@zain/contract-tests"
import { McpApproval } from "@zain/core"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { dialectMutants } from "../faults/DialectMutants.ts"
import { mutants } from "../faults/Mutants.ts"
import { codex } from "../faults/Subjects.ts"

const said: Record<string, ReadonlyArray<string>> = {}
for (const { adapter, caughtBy, name, policy, transport } of [...mutants, ...dialectMutants]) {
  const made = Effect.map(codex.make, adapter ?? identity)
  const make = policy === undefined ? made : Effect.provideService(made, McpApproval.McpApproval, policy)
  const subject = { ...codex, name, make }
  const report = await Effect.runPromise(
    McpClientFaultSuite.check(subject, { only: [caughtBy], transports: [transport], cold: true }),
  )
  said[name] = report.results.flatMap(({ problems }) => problems)
}
process.stdout.write(JSON.stringify(said), () => process.exit(0))
