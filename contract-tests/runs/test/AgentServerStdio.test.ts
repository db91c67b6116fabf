/** The bundle `@zain/agents` before the agents' servers; the clients of their own packages are tried with the real agents. */
import { McpClientContractSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { agents } from "./Agents.ts"
import * as Bundled from "./agent-server/Bundled.ts"
import * as Served from "./agent-server/Served.ts"

const scope = await Effect.runPromise(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

for (const agent of agents) {
  const served = await Effect.runPromise(Scope.provide(Served.serve(agent, "stdio"), scope))
  const make = Bundled.make(agent.name as Parameters<typeof Bundled.make>[0])
  const name = `${agent.title} behind the agent server, over stdio`
  // The bundle's way from a call to the client is the same for each agent.
  const options = agent === agents[0] ? {} : { only: McpClientContractSuite.ofTransport }
  run({ ...served, name, provider: agent.name, make }, options)
}
