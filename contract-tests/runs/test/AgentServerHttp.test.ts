/** The agents' servers where they listen. */
import { McpClientContractSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { agents } from "./Agents.ts"
import * as Served from "./agent-server/Served.ts"

const scope = await Effect.runPromise(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

for (const transport of ["streamable-http", "sse"] as const) {
  for (const agent of agents) {
    const served = await Effect.runPromise(Scope.provide(Served.serve(agent, transport), scope))
    const { make, name: provider, title } = agent
    // The whole suite once where a server listens; of the others what a transport can change.
    const isWhole = transport === "streamable-http" && agent === agents.at(-1)
    const subject = { ...served, name: `${title} behind the agent server, over ${transport}`, provider, make }
    run(subject, isWhole ? {} : { only: McpClientContractSuite.ofTransport })
  }
}
