/**
 * The contract suite as tests of vitest. Only this module and `FaultRunner` import vitest.
 */
import * as Effect from "effect/Effect"
import { describe, it } from "vitest"
import type { CaseResult, ContractCase } from "./ContractCase.ts"
import type { ContractSubject } from "./ContractSubject.ts"
import * as Escapes from "./Escapes.ts"
import * as ContractNote from "./gate/ContractNote.ts"
import { suiteVersion } from "./gate/SuiteVersion.ts"
import * as McpClientContractSuite from "./McpClientContractSuite.ts"

declare module "vitest" {
  interface TaskMeta {
    [ContractNote.key]?: ContractNote.ContractNote
  }
}

const margin = 60_000
const defaultTimeoutMillis = 120_000

/** Limits the run to some cases, and the time of each; by default all run. */
export interface Options {
  /** The ids of the cases to run; all by default. The contract gate fails unless all ran. */
  readonly only?: ReadonlyArray<string>
  /** The longest that a case may take, in milliseconds; 120,000 by default. It ends only what hangs. */
  readonly caseTimeout?: number
}

/**
 * Registers every case as a test of vitest. Call it at the top of a test file. The cases run one after the other, each
 * once, whatever the file's `concurrent`, `shuffle`, `retry` and `fails` say. An unhandled rejection or an uncaught
 * exception fails the case that runs.
 *
 * @param subject the client under test
 * @param options `only`: the ids of the cases that run, all by default; `caseTimeout`: the longest that one may take, in
 *   milliseconds
 *
 * @example
 * ```ts
 * import type { ContractSubject } from "@zain/contract-tests"
 * import { run } from "@zain/contract-tests/VitestRunner"
 *
 * const hold = (subject: ContractSubject.ContractSubject) => run(subject, { caseTimeout: 240_000 })
 * ```
 *
 * @see requirements 6.1 and 6.2
 */
export const run = (subject: ContractSubject, { caseTimeout = defaultTimeoutMillis, only }: Options = {}): void => {
  const earlier: Array<CaseResult> = []
  const version = suiteVersion()
  // In the suite's order, each case once; a setting of the file must not turn a failed case into a passed one.
  const options = { concurrent: false, shuffle: false, retry: 0, fails: false } as const
  describe(`McpClient contract: ${subject.name}`, options, () => {
    const sound = "the subject MUST be sound: `cannot` gives a reason for each missing capability, and for no other"
    const asked = note(version, subject, { id: ContractNote.soundness })
    it(sound, { ...options, meta: { [ContractNote.key]: asked } }, ({ task }) => {
      const found = McpClientContractSuite.problems(subject)
      const outcome = found.length > 0 ? "failed" : "passed"
      task.meta[ContractNote.key] = { ...asked, outcome }
      if (outcome === "failed") throw new Error(found.join("\n"))
    })
    const unknown = only?.filter((id) => McpClientContractSuite.cases.every((one) => one.id !== id)) ?? []
    if (unknown.length > 0) {
      it("`only` MUST name cases of the suite", options, () => {
        throw new Error(`Unknown case in \`only\`: ${unknown.join(", ")}. Name cases by their ids.`)
      })
    }
    for (const contractCase of McpClientContractSuite.cases) {
      if (only?.includes(contractCase.id) === false) continue
      const noted = note(version, subject, contractCase)
      const meta = { [ContractNote.key]: noted }
      const timeout = caseTimeout + margin
      it(`${contractCase.id}: ${contractCase.title}`, { ...options, timeout, meta }, async (context) => {
        const { escaped, result: ended } = await Escapes.watch(() =>
          Effect.runPromise(McpClientContractSuite.runCase(subject, contractCase, earlier, { caseTimeout })),
        )
        const result: CaseResult = escaped === undefined ? ended : { ...ended, status: "failed", reason: escaped }
        earlier.push(result)
        const { reason = "", status } = result
        const excuse = status === "skipped" ? { excuse: reason } : {}
        context.task.meta[ContractNote.key] = { ...noted, outcome: status, ...excuse }
        if (status === "skipped") {
          // The default reporter does not print the note of a skipped test.
          const line = ContractNote.clean(`skipped ${subject.name}, ${result.id}: ${reason}`)
          process.stdout.write(`${line}\n`)
          context.skip(reason)
        }
        if (status === "failed") throw new Error(reason)
      })
    }
  })
}

/** The note of one test for reporters, before it has ended. */
const note = (
  version: string,
  subject: ContractSubject,
  { id, needs = [] }: Pick<ContractCase, "id" | "needs">,
): ContractNote.ContractNote => ({
  suite: version,
  subject: subject.name,
  provider: subject.provider,
  case: id,
  lacks: needs.filter((capability) => subject.cannot?.[capability] !== undefined),
})
