/**
 * The layers of Effect's cluster as runners and callers use them: the same settings on all nodes, messages that are never
 * stored, and the ledger in the same database.
 *
 * @see docs/guides/cluster-operations.md
 */
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Runners from "effect/cluster/Runners"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ServeError } from "effect/http/HttpServerError"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import * as ClusterTransport from "./ClusterTransport.ts"
import * as Database from "./Database.ts"
import * as Leases from "./Leases.ts"
import type { Ledger, LedgerError } from "./Ledger.ts"
import * as MemoryLedger from "./MemoryLedger.ts"
import { Replies } from "./Replies.ts"
import * as Retention from "./Retention.ts"
import * as SqlLedger from "./SqlLedger.ts"

/** What callers and runners of one cluster have in common; the values must be the same on all of them. */
export interface EngineOptions extends ClusterTransport.TransportOptions {
  /** The URL of the database, with its user and password. */
  readonly database: Redacted.Redacted
}

/** A host and a port. */
export interface Address {
  /** A name or an address. */
  readonly host: string
  /** The port. */
  readonly port: number
}

/** A runner. */
export interface RunnerOptions extends EngineOptions {
  /** Where the other nodes reach the runner. */
  readonly address: Address
  /** Where the runner listens; `address` by default. */
  readonly listen?: Address
  /** How the runner locks its shards; the same on all runners. */
  readonly leases?: Leases.Leases
  /** The groups that the runner serves; `["default"]` by default. Others need leases. */
  readonly groups?: ReadonlyArray<string>
  /** The most sessions that are held at once; 10,000 by default. */
  readonly maxSessions?: number
  /** How long turns may go on after the runner was asked to end; 15 s by default. */
  readonly drain?: Duration.Input
}

/** What a node of a cluster has. */
export type Node = ClusterTransport.Services | Ledger | SqlClient.SqlClient

/** Why a node does not start. */
export type NodeError = LedgerError | Leases.LeaseError

/**
 * A node that calls runners, and runs nothing.
 *
 * @param options the cluster
 */
export const client = (options: EngineOptions): Layer.Layer<Node, NodeError> =>
  node(options.database, undefined, { runnerAddress: Option.none() }, ClusterTransport.client(options))

/**
 * A node that serves sessions; provide it to the entities.
 *
 * @param options the cluster, and the runner's part of it
 */
export const runner = (options: RunnerOptions): Layer.Layer<Node, NodeError | ServeError> => {
  const { address, database, drain = "15 seconds", groups = ["default"], leases, listen = address } = options
  const own = {
    runnerAddress: Option.some(RunnerAddress.make(address.host, address.port)),
    runnerListenAddress: Option.some(RunnerAddress.make(listen.host, listen.port)),
    availableShardGroups: groups,
    assignedShardGroups: groups,
    maxResidentEntities: options.maxSessions ?? 10_000,
    entityTerminationTimeout: drain,
  }
  return node(database, leases, own, ClusterTransport.runner(options))
}

/** What a runner serves, such as `AgentRunner.layer`. */
export type Served = Layer.Layer<never, never, Sharding.Sharding | Ledger | Replies>

/**
 * A whole cluster in this process: one runner, and a ledger in memory, which ends with it.
 *
 * @param served what the runner serves
 */
export const local = (served: Served): Layer.Layer<Sharding.Sharding | Ledger | Replies> =>
  Layer.provideMerge(Layer.merge(served, Retention.layer()), oneProcess(MemoryLedger.layer))

/**
 * The engine of one process.
 *
 * @param ledger the ledger, whose sessions all belong to the process
 */
export const oneProcess = (ledger: Layer.Layer<Ledger>): Layer.Layer<Sharding.Sharding | Ledger | Replies> =>
  Sharding.layer.pipe(
    Layer.provide(Runners.layerNoop),
    Layer.provide([MessageStorage.layerNoop, RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
    // Sessions close with their client, before.
    Layer.provide(ShardingConfig.layer({ entityTerminationTimeout: 0 })),
    Layer.merge(Layer.merge(ledger, Replies.layer)),
  )

type Config = ShardingConfig.ShardingConfig["Service"]

const node = <E>(
  database: Redacted.Redacted,
  leases: Leases.Leases | undefined,
  own: Partial<Config> & Pick<Config, "runnerAddress">,
  transport: Layer.Layer<
    ClusterTransport.Services,
    E,
    MessageStorage.MessageStorage | Leases.Storage | ShardingConfig.ShardingConfig
  >,
): Layer.Layer<Node, NodeError | E> =>
  Layer.unwrap(
    Effect.map(Leases.settings(leases, own.assignedShardGroups), (settings) => {
      const config = ShardingConfig.layer({
        runnerHealthCheckInterval: Duration.seconds(1),
        refreshAssignmentsInterval: Duration.millis(500),
        runnerJoinDebounce: Duration.seconds(5),
        shardLockExpiration: settings.expiry,
        shardLockRefreshInterval: Leases.refreshInterval,
        shardLockDisableAdvisory: settings.grace !== undefined,
        entityMessagePollInterval: Duration.seconds(1),
        ...own,
      })
      return transport.pipe(
        Layer.provide([Leases.layer(settings, own.runnerAddress), MessageStorage.layerNoop]),
        Layer.provide(config),
        Layer.provideMerge(SqlLedger.layer),
        Layer.provideMerge(Database.layer(database)),
      )
    }),
  )
