/**
 * A runner: serves the sessions of a cluster whose shards it owns.
 */
import type { Ledger } from "@zain/cluster-client/Ledger"
import type { Replies } from "@zain/cluster-client/Replies"
import * as SessionEntity from "@zain/cluster-client/SessionEntity"
import * as Context from "effect/Context"
import type { Sharding } from "effect/cluster/Sharding"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AgentTable } from "./AgentTable.ts"
import * as HeldSession from "./HeldSession.ts"
import * as SessionHandlers from "./SessionHandlers.ts"

/** What a runner serves. */
export interface Options {
  /** The agents by the names that callers use. */
  readonly agents: AgentTable
  /**
   * How long a session may be idle before its agent ends; its next turn continues the conversation. 5 minutes by default. The
   * engine looks every 5 to 30 seconds.
   */
  readonly maxIdleTime?: Duration.Input
}

/** What a runner does now. */
export interface Counts {
  /** Sessions whose agent is open. */
  readonly sessions: number
  /** Turns under way. */
  readonly turns: number
  /** Turns that have failed since the start of the runner. */
  readonly failures: number
}

/** The service that reports what a runner does now. */
export class RunnerCounts extends Context.Service<RunnerCounts, { readonly now: () => Counts }>()(
  "@zain/cluster-runner/RunnerCounts",
) {}

/**
 * Layer of a runner. It makes the driver of every agent, and serves sessions until its Scope ends.
 *
 * @param options the agents, and how long an idle session keeps its agent
 */
export const layer = ({
  agents,
  maxIdleTime = "5 minutes",
}: Options): Layer.Layer<RunnerCounts, never, Sharding | Ledger | Replies> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const all = yield* HeldSession.agentsOf(agents)
      return Layer.merge(
        SessionEntity.AgentSession.toLayer(SessionHandlers.make(all), {
          concurrency: "unbounded",
          disableFatalDefects: true,
          maxIdleTime,
        }),
        Layer.succeed(RunnerCounts, { now: () => ({ ...all.counts }) }),
      )
    }),
  )
