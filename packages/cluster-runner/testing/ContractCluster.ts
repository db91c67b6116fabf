/**
 * A cluster in this process as a subject of the contract suite.
 */
import * as ClusterMcpClient from "@zain/cluster-client/ClusterMcpClient"
import * as EngineClient from "@zain/cluster-client/EngineClient"
import * as MemoryLedger from "@zain/cluster-client/MemoryLedger"
import type { ContractSubject } from "@zain/contract-tests/ContractSubject"
import type { Driver } from "@zain/core/AgentConnection"
import type { McpConnectionConfig } from "@zain/core/McpConnectionConfig"
import * as TestRunner from "effect/cluster/TestRunner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as AgentRunner from "../src/AgentRunner.ts"

/** An agent, and the servers that a caller's option `server` chooses; `usual` without it. */
export interface Behind extends Pick<ContractSubject, "peer" | "provider" | "turn"> {
  readonly driver: Effect.Effect<Driver, never, Scope.Scope>
  readonly servers: Readonly<Record<"usual" | "unreachable" | "silent", McpConnectionConfig>>
  readonly callerOptions: ReadonlyArray<string>
}

/** Starts a runner with the agent; it ends with the Scope. */
export const subject = Effect.fnUntraced(function* ({ callerOptions, driver, servers, ...rest }: Behind) {
  const { provider } = rest
  const local = ({ server = "usual", ...given }: Readonly<Record<string, unknown>>): McpConnectionConfig => {
    const { providerOptions, ...config } = servers[server as "usual"]
    return { ...config, providerOptions: { ...providerOptions, ...given } }
  }
  const agents = { [provider]: { driver, local, callerOptions: ["server", "threadId", ...callerOptions] } }
  const context = yield* Layer.build(
    AgentRunner.layer({ agents }).pipe(Layer.provideMerge(TestRunner.layer), Layer.provideMerge(MemoryLedger.layer)),
  )
  const config = (options: object) => ClusterMcpClient.config(provider, { options: { ...options } })
  const subject: ContractSubject = {
    ...rest,
    name: `${provider} on a runner`,
    make: Effect.provideContext(Effect.orDie(EngineClient.over({ provider })), context),
    config: config({}),
    unreachable: config({ server: "unreachable" }),
    silent: config({ server: "silent" }),
    resume: (threadId) => config({ threadId }),
    elsewhere: (threadId) => config({ threadId }),
  }
  return subject
})
