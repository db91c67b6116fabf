/**
 * A reporter of vitest that writes the JSON report of the contract suite, as `zain-contract-gate` reads it, of a run that has it.
 */
import { JsonReporter, type TestModule } from "vitest/node"

export class ContractReporter extends JsonReporter {
  constructor() {
    super({ outputFile: "node_modules/.cache/contract.json" })
  }

  override async onTestRunEnd(modules: ReadonlyArray<TestModule>): Promise<void> {
    const own = modules.filter(({ moduleId }) => moduleId.endsWith("/McpClientContractSuite.test.ts"))
    if (own.length > 0) await super.onTestRunEnd(own)
  }
}
