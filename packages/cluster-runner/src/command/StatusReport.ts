/**
 * `zain-runner status`: the cluster as its database has it.
 */
import * as Database from "@zain/cluster-client/Database"
import * as SqlLedger from "@zain/cluster-client/SqlLedger"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ClusterStatus from "../ClusterStatus.ts"
import * as StatusTable from "../StatusTable.ts"
import type { Status } from "./RunnerOptions.ts"

/** Prints the status, and returns exit code 0 if there are runners and all are healthy, else 1. */
export const run = ({ database, json }: Status) =>
  Effect.map(ClusterStatus.read, (status) => {
    process.stdout.write(json ? `${JsonText.write(status)}\n` : StatusTable.write(status))
    return status.runners.length > 0 && status.runners.every(({ isHealthy }) => isHealthy) ? 0 : 1
  }).pipe(Effect.provide(SqlLedger.layer.pipe(Layer.provideMerge(Database.layer(database)))))
