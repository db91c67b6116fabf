/**
 * Who owns a shard, and for how long without the database: leases that outlive its restart, or advisory locks.
 *
 * A lease is a row that its owner refreshes. When a refresh fails, the engine would interrupt every session of the runner at
 * once; here the runner keeps its shards for a grace, which is over before another runner can take them.
 */
import * as Clock from "effect/Clock"
import { PersistenceError } from "effect/cluster/ClusterError"
import type { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import type * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PrimaryKey from "effect/PrimaryKey"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

/** The times of leases. */
export interface LeaseTimes {
  /** How long a runner that has stopped keeps its shards: a killed runner's sessions are served again after it. 30 s by default. */
  readonly expiry?: Duration.Input
  /**
   * How long turns go on without the database, from the last refresh on: it was at most 5 s before the database went away.
   * 15 s by default, so that turns outlive an outage of 10 s.
   */
  readonly grace?: Duration.Input
}

/**
 * `advisory`: the locks end with their connection. A killed runner's sessions are served again after about 5 s, but every
 * restart of the database interrupts all turns. For runners of the group `default` only: the engine numbers the locks by the
 * groups of each runner, so that those of different groups would collide.
 */
export type Leases = LeaseTimes | "advisory"

/**
 * A runner may not own shards.
 *
 * - `invalid`: the times do not fit together, so that two runners could own a shard
 * - `address-in-use`: another runner has the address
 */
export class LeaseError extends Schema.TaggedError<LeaseError>("@zain/cluster-client/LeaseError")("LeaseError", {
  /** Why, from a closed list. */
  reason: Schema.Literals(["invalid", "address-in-use"]),
  /** The cause and the remedy. */
  message: Schema.String,
}) {}

/** How often leases are refreshed. */
export const refreshInterval = Duration.seconds(5)

/** How long a runner that is frozen keeps its advisory locks. */
const advisoryExpiry = Duration.seconds(20)

/** Leases with every time. */
export interface Settings {
  /** When a runner that does not refresh loses its shards. */
  readonly expiry: Duration.Duration
  /** How long a runner keeps its shards after its last refresh; absent for advisory locks. */
  readonly grace?: Duration.Duration
}

/**
 * Fills in the defaults.
 *
 * @param leases the times, or `advisory`
 * @param groups the groups that the runner serves
 * @returns the settings; fails with `LeaseError`, `invalid`, unless `expiry` exceeds `grace` and two refresh intervals: after
 *   the last refresh within the grace the engine asks again one interval later, and waits for the answer for one more
 */
export const settings = (
  leases: Leases = {},
  groups: ReadonlyArray<string> = ["default"],
): Effect.Effect<Settings, LeaseError> => {
  if (leases === "advisory")
    return groups.join() === "default"
      ? Effect.succeed({ expiry: advisoryExpiry })
      : invalid("Advisory locks are for runners of the group `default` only. Use leases with other groups.")
  const [expiry, grace] = [leases.expiry ?? "30 seconds", leases.grace ?? "15 seconds"].map(Duration.fromInput)
  if (expiry === undefined || grace === undefined || Option.isNone(expiry) || Option.isNone(grace))
    return invalid('`expiry` and `grace` of leases must be durations, such as "30 seconds".')
  const min = Duration.sum(grace.value, Duration.times(refreshInterval, 2))
  return Duration.isGreaterThan(expiry.value, min)
    ? Effect.succeed({ expiry: expiry.value, grace: grace.value })
    : invalid(
        `\`expiry\` of leases is ${Duration.format(expiry.value)}; with a \`grace\` of ${Duration.format(grace.value)} it must be more than ${Duration.format(min)}.`,
      )
}

const invalid = (message: string) => Effect.fail(new LeaseError({ reason: "invalid", message }))

/** The storage of the engine. */
export type Storage = RunnerStorage.RunnerStorage

/**
 * The storage of runners and locks in PostgreSQL.
 *
 * @param settings from `settings`
 * @param address the address that a runner is going to register; none for a caller
 * @returns the storage; fails with `LeaseError`, `address-in-use`, if a runner with the address is alive, which takes one
 *   refresh interval to see: both would own the same shards
 */
export const layer = (
  { grace }: Settings,
  address: Option.Option<RunnerAddress>,
): Layer.Layer<Storage, LeaseError, SqlClient.SqlClient | ShardingConfig.ShardingConfig> =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const storage = yield* Effect.orDie(SqlRunnerStorage.make({}))
      if (Option.isSome(address)) yield* refuseTwin(PrimaryKey.value(address.value))
      return grace === undefined ? storage : yield* outlast(grace)(storage)
    }),
  )

/** A moment by both clocks: one stands still while the machine sleeps, the other one can be set. */
interface Moment {
  readonly wall: number
  readonly monotonic: bigint
}

/**
 * Answers a refresh that fails with the shards whose last refresh is younger than the grace.
 *
 * @param grace counts from the start of a shard's last successful refresh
 */
export const outlast =
  (grace: Duration.Duration) =>
  (storage: RunnerStorage.RunnerStorage["Service"]): Effect.Effect<RunnerStorage.RunnerStorage["Service"]> =>
    Effect.map(Clock.Clock, (clock) => {
      const maxAge = Duration.toMillis(grace)
      const held = new Map<string, Moment>()
      let isAway = false
      const now = (): Moment => ({
        wall: clock.currentTimeMillisUnsafe(),
        monotonic: clock.monotonicTimeNanosUnsafe(),
      })
      const isWithin = (moment: Moment | undefined, { monotonic, wall }: Moment) =>
        moment !== undefined && Math.max(wall - moment.wall, Number(monotonic - moment.monotonic) / 1e6) < maxAge
      /** Notes the moment before an operation for the shards that it returns. */
      const noting = <A extends ReadonlyArray<{ toString(): string }>, E>(operation: Effect.Effect<A, E>) =>
        Effect.suspend(() => {
          const began = now()
          return Effect.map(operation, (shards) => {
            for (const id of shards) held.set(`${id}`, began)
            return shards
          })
        })
      return {
        ...storage,
        acquire: (address, shards) => noting(storage.acquire(address, shards)),
        refresh: (address, shards) => {
          const asked = Array.from(shards)
          return noting(storage.refresh(address, asked)).pipe(
            // The engine waits no longer than an interval for all of this.
            Effect.timeoutOrElse({
              duration: Duration.divideUnsafe(refreshInterval, 2),
              orElse: () => Effect.fail(late),
            }),
            Effect.tap(() => change(false, "answers again")),
            Effect.catchCause((cause) => {
              const moment = now()
              const still = asked.filter((id) => isWithin(held.get(`${id}`), moment))
              if (still.length === 0) return Effect.failCause(cause)
              return Effect.as(change(true, `is away; turns go on for at most ${Duration.format(grace)}`), still)
            }),
          )
        },
      }
      function change(away: boolean, what: string) {
        if (isAway === away) return Effect.void
        isAway = away
        return Effect.logWarning(`The database of the leases ${what}`)
      }
    })

const late = new PersistenceError({ cause: new Error("The refresh of the leases timed out.") })

const refuseTwin = Effect.fnUntraced(function* (address: string) {
  const sql = yield* SqlClient.SqlClient
  const heartbeat = Effect.orDie(
    sql<{ at: string }>`SELECT last_heartbeat::text AS at FROM cluster_runners WHERE address = ${address}`,
  )
  const [before] = yield* heartbeat
  if (before === undefined) return
  yield* Effect.sleep(Duration.sum(refreshInterval, Duration.seconds(1)))
  const [after] = yield* heartbeat
  if (after === undefined || after.at === before.at) return
  const message = `Another runner has the address ${address}. Start each runner with an --advertise of its own.`
  yield* Effect.fail(new LeaseError({ reason: "address-in-use", message }))
})
