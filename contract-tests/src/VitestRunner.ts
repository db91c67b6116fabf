/**
 * The contract suite as tests of vitest. Only this module needs vitest.
 */
import * as Effect from "effect/Effect"
import { describe, it } from "vitest"
import type { CaseResult, ContractCase } from "./ContractCase.ts"
import type { ContractSubject } from "./ContractSubject.ts"
import * as ContractNote from "./gate/ContractNote.ts"
import * as McpClientContractSuite from "./McpClientContractSuite.ts"

declare module "vitest" {
  interface TaskMeta {
    [ContractNote.key]?: ContractNote.ContractNote
  }
}

const margin = 5_000
const defaultLimit = 20_000

/** `caseLimit`: the longest a case may take, in milliseconds. 20 seconds. It only ends what hangs. */
export interface Options {
  readonly caseLimit?: number
}

/**
 * Registers every case for a subject. Call it at the top of a test file.
 *
 * @param subject the client under test
 *
 * **Example**
 *
 * ```ts
 * import { CodexMcpClientAdapter } from "@zain/codex-client"
 * import { FakePeer } from "@zain/contract-tests"
 * import { run } from "@zain/contract-tests/VitestRunner"
 *
 * const fake = FakePeer.inMemory("codex")
 * run({ ...fake, name: "Codex", provider: "codex", make: CodexMcpClientAdapter.make({ profile: "native", connect: fake.connect }) })
 * ```
 *
 * @see requirements 6.1 and 6.2
 */
export const run = (subject: ContractSubject, { caseLimit = defaultLimit }: Options = {}): void => {
  const earlier: Array<CaseResult> = []
  // One after the other, in the order of the suite, and no case gets a second chance.
  describe(`McpClient contract: ${subject.name}`, { concurrent: false, shuffle: false, retry: 0 }, () => {
    const soundness = { id: ContractNote.soundness, verifies: [] }
    const sound = "the subject is sound: nothing is missing without a reason, and no excuse is idle"
    it(sound, { meta: { [ContractNote.key]: note(subject, soundness) } }, () => {
      const found = McpClientContractSuite.problems(subject)
      if (found.length > 0) throw new Error(found.join("\n"))
    })
    for (const contractCase of McpClientContractSuite.cases) {
      const meta = { [ContractNote.key]: note(subject, contractCase) }
      const options = { timeout: caseLimit + margin, meta }
      it(`${contractCase.id}: ${contractCase.title}`, options, async (context) => {
        const result = await Effect.runPromise(
          McpClientContractSuite.runCase(subject, contractCase, earlier, { caseLimit }),
        )
        earlier.push(result)
        if (result.status === "skipped") {
          // The default reporter keeps the note of a skipped test to itself.
          process.stdout.write(`skipped ${subject.name}, ${result.id}: ${result.reason}\n`)
          context.task.meta[ContractNote.key] = { ...meta[ContractNote.key], excuse: result.reason ?? "" }
          context.skip(result.reason)
        }
        if (result.status === "failed") throw new Error(result.reason)
      })
    }
  })
}

/** What the report of a run says about one test, whatever becomes of it. */
const note = (
  subject: ContractSubject,
  { id, needs = [], verifies }: Pick<ContractCase, "id" | "needs" | "verifies">,
): ContractNote.ContractNote => ({
  subject: subject.name,
  provider: subject.provider,
  case: id,
  of: McpClientContractSuite.cases.length + 1,
  verifies,
  needs,
  lacks: needs.filter((capability) => subject.cannot?.[capability] !== undefined),
})
