/** Holds both adapters to the contract, over fakes in memory, and then has nothing more to do. */
import { FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import { agents } from "../Agents.ts"
import { ending } from "./Ending.ts"

for (const { cannot, dialect, native, title } of agents) {
  const fake = FakePeer.inMemory(dialect)
  const subject = { ...fake, cannot, name: title, provider: dialect.name, make: native(fake) }
  const report = await Effect.runPromise(McpClientContractSuite.check(subject))
  const lines = McpClientContractSuite.format(report).split("\n")
  process.stdout.write(`${lines.filter((line) => !/^(?:skipped|unproven) /u.test(line)).join("\n")}\n`)
}
ending()
