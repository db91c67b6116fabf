/**
 * The contract suite as tests of vitest. Only this module needs vitest.
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
const defaultLimit = 120_000

/**
 * - `caseLimit`: the longest a case may take, in milliseconds. 2 minutes. It only ends what hangs
 * - `only`: the ids of the cases to run; all by default. The contract gate is not content with fewer
 */
export interface Options {
  readonly only?: ReadonlyArray<string>
  readonly caseLimit?: number
}

/**
 * Registers every case for a subject. Call it at the top of a test file.
 *
 * @param subject the client under test
 *
 * @example
 * ```ts
 * import type { ContractSubject } from "@zain/contract-tests"
 * import { run } from "@zain/contract-tests/VitestRunner"
 *
 * const hold = (subject: ContractSubject.ContractSubject) => run(subject, { caseLimit: 240_000 })
 * ```
 *
 * @see requirements 6.1 and 6.2
 */
export const run = (subject: ContractSubject, { caseLimit = defaultLimit, only }: Options = {}): void => {
  const earlier: Array<CaseResult> = []
  const version = suiteVersion()
  // One after the other, in the order of the suite; no case gets a second chance, and none is right by being wrong.
  const options = { concurrent: false, shuffle: false, retry: 0, fails: false } as const
  describe(`McpClient contract: ${subject.name}`, options, () => {
    const sound = "the subject is sound: nothing is missing without a reason, and no excuse is idle"
    const asked = note(version, subject, { id: ContractNote.soundness })
    it(sound, { ...options, meta: { [ContractNote.key]: asked } }, ({ task }) => {
      const found = McpClientContractSuite.problems(subject)
      const outcome = found.length > 0 ? "failed" : "passed"
      task.meta[ContractNote.key] = { ...asked, outcome }
      if (outcome === "failed") throw new Error(found.join("\n"))
    })
    const unknown = only?.filter((id) => McpClientContractSuite.cases.every((one) => one.id !== id)) ?? []
    if (unknown.length > 0) {
      it("`only` names cases of the suite", options, () => {
        throw new Error(`Unknown case in \`only\`: ${unknown.join(", ")}. Name cases by their ids.`)
      })
    }
    for (const contractCase of McpClientContractSuite.cases) {
      if (only?.includes(contractCase.id) === false) continue
      const told = note(version, subject, contractCase)
      const meta = { [ContractNote.key]: told }
      const timeout = caseLimit + margin
      it(`${contractCase.id}: ${contractCase.title}`, { ...options, timeout, meta }, async (context) => {
        const { escaped, result: ended } = await Escapes.watch(() =>
          Effect.runPromise(McpClientContractSuite.runCase(subject, contractCase, earlier, { caseLimit })),
        )
        const result: CaseResult = escaped === undefined ? ended : { ...ended, status: "failed", reason: escaped }
        earlier.push(result)
        const { reason = "", status } = result
        const excuse = status === "skipped" ? { excuse: reason } : {}
        context.task.meta[ContractNote.key] = { ...told, outcome: status, ...excuse }
        if (status === "skipped") {
          // The default reporter keeps the note of a skipped test to itself.
          const line = ContractNote.clean(`skipped ${subject.name}, ${result.id}: ${reason}`)
          process.stdout.write(`${line}\n`)
          context.skip(reason)
        }
        if (status === "failed") throw new Error(reason)
      })
    }
  })
}

/** What the report of a run says about one test, before it has ended. */
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
