import { agents as list } from "@zain/agent-list/Agents"
import { McpClientContractSuite } from "@zain/contract-tests"
import { run } from "@zain/contract-tests/VitestRunner"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import * as ContractCluster from "../../../packages/cluster-runner/testing/ContractCluster.ts"
import { load } from "./Agents.ts"
import * as Served from "./agent-server/Served.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

// Fake agents behind their real servers, which three runners start: what the wire of the cluster can change of an agent. A neutral
// agent passes the whole suite there.
for (const listed of list) {
  const agent = await load(listed)
  const { driver } = await listed.client()
  const { turn } = agent.dialect
  const { config, peer, silent, unreachable } = await Effect.runPromise(
    Scope.provide(Served.serve(agent, "stdio"), scope),
  )
  const { options = {}, wider = {} } = turn ?? {}
  const subject = await ContractCluster.subject(
    {
      ...{ provider: agent.name, peer, driver },
      ...(turn === undefined ? {} : { turn }),
      servers: { usual: config, unreachable, silent },
      callerOptions: ["background", ...Object.keys({ ...options, ...wider })],
    },
    ContractCluster.threeRunners,
  ).pipe(Scope.provide(scope), Effect.runPromise)
  run(subject, { only: McpClientContractSuite.ofTransport })
}
