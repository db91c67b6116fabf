/**
 * The state of a whole cluster, as its database has it.
 */
import { bounded } from "@zain/cluster-client/Database"
import { Ledger, type LedgerError } from "@zain/cluster-client/Ledger"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

/** One runner. */
export interface RunnerStatus {
  /** The address by which other nodes reach it. */
  readonly address: string
  /** The groups that it serves. */
  readonly groups: ReadonlyArray<string>
  /** Whether the other runners reach it; false also for one that has not renewed its entry within the last minute. */
  readonly isHealthy: boolean
  /** How long ago it renewed its entry, in milliseconds. */
  readonly renewedAgo: number
  /** How many shards it holds; 0 if the cluster uses advisory locks. */
  readonly shards: number
  /** Open sessions whose last claim is its own. */
  readonly sessions: number
  /** Turns under way. */
  readonly turns: number
  /** How long ago the oldest turn under way began, in milliseconds; absent if there is none. */
  readonly oldestTurn?: number
}

/** The cluster. */
export interface ClusterStatus {
  /** All runners by address. */
  readonly runners: ReadonlyArray<RunnerStatus>
  /** Open sessions. */
  readonly sessions: number
  /** Turns under way. */
  readonly turns: number
  /** Turns whose runner was gone before they ended, in the time that the ledger keeps: `connection-lost`, `unknown`. */
  readonly lostTurns: number
}

/** How long ago a healthy runner renews its entry at most, in milliseconds. */
const staleAfter = 60_000

interface Row {
  readonly address: string
  /** The engine's entry, as JSON. */
  readonly runner: string
  readonly healthy: boolean
  readonly ago: number
  readonly shards: number
}

const decodeEntry = Schema.decodeEffect(Schema.fromJsonString(Schema.Struct({ groups: Schema.Array(Schema.String) })))

/** Reads the status; fails with `LedgerError` if the database does not answer. */
export const read: Effect.Effect<ClusterStatus, LedgerError, SqlClient.SqlClient | Ledger> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const [made] = yield* bounded(sql<{ there: boolean }>`SELECT to_regclass('cluster_locks') IS NOT NULL AS there`)
  const rows =
    made?.there === true
      ? yield* bounded(sql<Row>`
        SELECT r.address, r.runner, r.healthy, (extract(epoch FROM now() - r.last_heartbeat) * 1000)::float8 AS ago,
          (SELECT count(*) FROM cluster_locks l WHERE l.address = r.address)::int AS shards
        FROM cluster_runners r ORDER BY r.address`)
      : []
  const [lost] = yield* bounded(sql<{ turns: number; now: number }>`
    SELECT count(*)::int AS turns, (extract(epoch FROM now()) * 1000)::float8 AS now FROM zain_turns t JOIN zain_sessions s ON s.id = t.session
    WHERE t.state = 'begun' AND t.epoch < s.epoch`)
  const { now = 0, turns: lostTurns = 0 } = lost ?? {}
  const loads = yield* ledger.load
  const runners = yield* Effect.forEach(rows, ({ address, ago, healthy, runner, shards }) =>
    Effect.map(Effect.orDie(decodeEntry(runner)), ({ groups }): RunnerStatus => {
      const { oldestTurnAt, sessions = 0, turns = 0 } = loads.find((load) => load.runner === address) ?? {}
      return {
        ...{ address, groups, isHealthy: healthy && ago < staleAfter, renewedAgo: Math.round(ago) },
        ...{ shards, sessions, turns },
        ...(oldestTurnAt === undefined ? {} : { oldestTurn: Math.max(0, Math.round(now - oldestTurnAt)) }),
      }
    }),
  )
  const sum = (of: "sessions" | "turns") => loads.reduce((sum, load) => sum + load[of], 0)
  return { runners, sessions: sum("sessions"), turns: sum("turns"), lostTurns }
})
