/**
 * Holds adapters to the contract, and then has nothing more to do: `memory`, every adapter over a fake in memory; `served`,
 * Codex's over each way to serve a fake.
 */
import { type ContractSubject, FakePeer, McpClientContractSuite } from "@zain/contract-tests"
import * as Effect from "effect/Effect"
import { agents, codex } from "../Agents.ts"
import { ending } from "./Ending.ts"

const inMemory = agents.map(({ cannot, dialect, native, title }) => {
  const fake = FakePeer.inMemory(dialect)
  return Effect.succeed({ ...fake, cannot, name: title, provider: dialect.name, make: native(fake) })
})

const served = (["streamable-http", "sse"] as const).map((transport) =>
  Effect.map(FakePeer.serve(codex.dialect, { transport }), (fake) => {
    const { cannot, dialect, native } = codex
    return { ...fake, cannot, name: transport, provider: dialect.name, make: native() }
  }),
)

const check = (subject: ContractSubject.ContractSubject) => McpClientContractSuite.check(subject)

for (const subject of process.argv.includes("served") ? served : inMemory) {
  const report = await Effect.runPromise(Effect.scoped(Effect.flatMap(subject, check)))
  const lines = McpClientContractSuite.format(report).split("\n")
  process.stdout.write(`${lines.filter((line) => !/^(?:skipped|unproven) /u.test(line)).join("\n")}\n`)
}
ending()
