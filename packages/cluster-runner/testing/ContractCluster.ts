/**
 * A cluster in this process as a subject of the contract suite.
 */
import * as ClusterEngine from "@zain/cluster-client/ClusterEngine"
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as EngineClient from "@zain/cluster-client/EngineClient"
import { PeerObservation } from "@zain/contract-tests"
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import type { Driver } from "@zain/core/AgentConnection"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import type { McpError } from "@zain/core/McpError"
import { listening } from "@zain/testkit/Listening"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { afterAll } from "vitest"
import * as Parrot from "../../../contract-tests/testing/ThirdParty.ts"
import * as Postgres from "../../cluster-client/testing/Postgres.ts"
import * as AgentRunner from "../src/AgentRunner.ts"

/** An agent, and the servers that a caller's option `server` chooses; `usual` without it. */
export interface Behind extends Pick<ContractSubject, "peer" | "provider" | "turn"> {
  readonly driver: Effect.Effect<Driver, never, Scope.Scope>
  readonly servers: Readonly<Record<"usual" | "unreachable" | "silent", McpConnectionConfig>>
  readonly callerOptions: ReadonlyArray<string>
}

type Runner = ReturnType<typeof AgentRunner.layer>

/** Starts the runners of a cluster, and returns what makes its clients. */
export type Nodes = (
  runner: Runner,
  provider: string,
) => Effect.Effect<Effect.Effect<ClusterMcpClient.ClusterMcpClient, McpError, Scope.Scope>, unknown, Scope.Scope>

/** Everything in one process. */
export const oneProcess: Nodes = (runner, provider) => Effect.succeed(ClusterMcpClient.local({ runner, provider }))

/** Three runners on ports of loopback, and a caller, over a PostgreSQL of their own. */
export const threeRunners: Nodes = (runner, provider) =>
  Effect.gen(function* () {
    const database = yield* (yield* Postgres.make()).database
    const start = Effect.flatMap(Effect.scoped(listening(() => {})), (port) => {
      const address = { host: "127.0.0.1", port }
      return Layer.build(Layer.fresh(Layer.provide(runner, ClusterEngine.runner({ database, address }))))
    })
    yield* Effect.all([start, start, start], { concurrency: "unbounded" })
    const context = yield* Layer.build(ClusterEngine.client({ database }))
    return Effect.provideContext(EngineClient.over({ provider }), context)
  })

/** Starts a cluster with the agent; it ends with the Scope. */
export const subject = Effect.fnUntraced(function* (
  { callerOptions, driver, servers, ...rest }: Behind,
  nodes: Nodes = oneProcess,
) {
  const { provider } = rest
  const local = ({ server = "usual", ...given }: Readonly<Record<string, unknown>>): McpConnectionConfig => {
    const { providerOptions, ...config } = servers[server as "usual"]
    return { ...config, providerOptions: { ...providerOptions, ...given } }
  }
  const agents = { [provider]: { driver, local, callerOptions: ["server", "threadId", ...callerOptions] } }
  const make = yield* nodes(AgentRunner.layer({ agents }), provider)
  const config = (options: object) => ClusterMcpClient.config(provider, { options: { ...options } })
  const subject: ContractSubject = {
    ...rest,
    name: `${provider} on a runner`,
    make: Effect.orDie(make),
    config: config({}),
    unreachable: config({ server: "unreachable" }),
    silent: config({ server: "silent" }),
    resume: (threadId) => config({ threadId }),
    elsewhere: (threadId) => config({ threadId }),
  }
  return subject
})

/** The neutral agent in a cluster that ends after the tests of the file. */
export const parrot = (nodes: Nodes): Promise<ContractSubject> => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const record = PeerObservation.make()
  const home = Parrot.nest(record)
  const behind = {
    ...{ provider: "parrot", peer: record.observation, turn: Parrot.turn },
    driver: Effect.sync(() => Parrot.driver(home)),
    servers: { usual: Parrot.config, unreachable: Parrot.unreachable, silent: Parrot.silent },
    callerOptions: ["background", "model", "volume"],
  }
  return Effect.runPromise(Scope.provide(subject(behind, nodes), scope))
}
