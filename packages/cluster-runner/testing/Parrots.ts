/**
 * A cluster in this process whose agents follow the contract suite's script, and the subject that the suite runs on it.
 */
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as EngineClient from "@zain/cluster-client/EngineClient"
import { Ledger } from "@zain/cluster-client/Ledger"
import * as MemoryLedger from "@zain/cluster-client/MemoryLedger"
import { type ContractSubject, PeerObservation } from "@zain/contract-tests"
import { McpConnectionConfig } from "@zain/core"
import type { Driver } from "@zain/core/AgentConnection"
import * as TestRunner from "effect/cluster/TestRunner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Parrot from "../../../contract-tests/test/third-party/Parrot.ts"
import * as AgentRunner from "../src/AgentRunner.ts"

const agent = "parrot"

/** Parrots behind a runner's table; the option `server` chooses one that cannot be reached, sleeps, or is another client's. */
const table = (record: PeerObservation.PeerRecord) => {
  const home = Parrot.nest(record)
  const [first, second] = [Parrot.driver(home), Parrot.driver(home)]
  const driver: Driver = {
    ...first,
    connect: (config, ...rest) => (config.serverUrl === "stdio:second" ? second : first).connect(config, ...rest),
  }
  return {
    [agent]: {
      driver: Effect.succeed(driver),
      local: ({ server = "parrot", ...providerOptions }: Readonly<Record<string, unknown>>) =>
        McpConnectionConfig.stdio({ command: String(server), providerOptions }),
      callerOptions: ["background", "model", "server", "threadId", "volume"],
    },
  }
}

const config = (options?: object) => ClusterMcpClient.config(agent, { options: { ...options } })

/**
 * Starts the cluster, which lives as long as the Scope, and returns the suite's subject.
 *
 * @param wrap changes the ledger of the runners, for mutants
 */
export const subject = Effect.fnUntraced(function* (wrap: (ledger: Ledger) => Ledger = (ledger) => ledger) {
  const record = PeerObservation.make()
  const ledger = Layer.effect(Ledger, Effect.map(MemoryLedger.make, wrap))
  const cluster = AgentRunner.layer({ agents: table(record) }).pipe(
    Layer.provideMerge(TestRunner.layer),
    Layer.provideMerge(ledger),
  )
  const context = yield* Layer.buildWithScope(cluster, yield* Scope.Scope)
  const subject: ContractSubject.ContractSubject = {
    ...{ name: "parrots on a runner", provider: agent, peer: record.observation, turn: Parrot.turn },
    make: Effect.provideContext(Effect.orDie(EngineClient.over({ provider: agent })), context),
    config: config(),
    unreachable: config({ server: "nowhere" }),
    silent: config({ server: "asleep" }),
    resume: (threadId) => config({ threadId }),
    elsewhere: (threadId) => config({ threadId, server: "second" }),
  }
  return { subject, context, record }
})
