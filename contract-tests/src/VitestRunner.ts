/**
 * The contract suite as tests of vitest. Only this module needs vitest.
 */
import * as Effect from "effect/Effect"
import { describe, it } from "vitest"
import type { CaseResult } from "./ContractCase.ts"
import type { ContractSubject } from "./ContractSubject.ts"
import * as McpClientContractSuite from "./McpClientContractSuite.ts"

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
  describe(`McpClient contract: ${subject.name}`, { concurrent: false }, () => {
    it("the subject is sound: nothing is missing without a reason, and no excuse is idle", () => {
      const found = McpClientContractSuite.problems(subject)
      if (found.length > 0) throw new Error(found.join("\n"))
    })
    for (const contractCase of McpClientContractSuite.cases) {
      it(`${contractCase.id}: ${contractCase.title}`, { timeout: caseLimit + margin }, async (context) => {
        const result = await Effect.runPromise(
          McpClientContractSuite.runCase(subject, contractCase, earlier, { caseLimit }),
        )
        earlier.push(result)
        if (result.status === "skipped") {
          // The default reporter keeps the note of a skipped test to itself.
          process.stdout.write(`skipped ${subject.name}, ${result.id}: ${result.reason}\n`)
          context.skip(result.reason)
        }
        if (result.status === "failed") throw new Error(result.reason)
      })
    }
  })
}
