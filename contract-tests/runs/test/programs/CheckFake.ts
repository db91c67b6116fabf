/**
 * Runs the contract suite and ends: `memory` on every adapter over a fake in memory, `served` on the first adapter over each
 * way to serve a fake.
 */
import { type ContractSubject, FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import { agents } from "../Agents.ts"
import { ending } from "./Ending.ts"

const inMemory = agents.map(({ dialect, name, native, title }) => {
  const fake = FakePeer.inMemory(dialect)
  return Effect.succeed({ ...fake, name: title, provider: name, make: native(fake) })
})

const [{ dialect, name: provider, native }] = agents

const served = (["streamable-http", "sse"] as const).map((transport) =>
  Effect.map(FakePeer.serve(dialect, { transport }), (fake) => ({
    ...fake,
    ...{ name: transport, provider, make: native({}) },
  })),
)

const check = (subject: ContractSubject.ContractSubject) => McpClientContractSuite.check(subject)

for (const subject of process.argv.includes("served") ? served : inMemory) {
  const report = await Effect.runPromise(Effect.scoped(Effect.flatMap(subject, check)))
  const lines = McpClientContractSuite.format(report).split("\n")
  process.stdout.write(`${lines.filter((line) => !/^(?:skipped|unproven) /u.test(line)).join("\n")}\n`)
}
ending()
