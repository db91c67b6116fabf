/**
 * The status of a cluster as a table for people.
 */
import { styleText } from "node:util"
import type { ClusterStatus, RunnerStatus } from "./ClusterStatus.ts"

const heads = ["RUNNER", "STATE", "GROUPS", "SHARDS", "SESSIONS", "TURNS", "OLDEST", "RENEWED"]

/** From this column on there are numbers, which are aligned to the right. */
const firstNumber = 3

/** A time in one unit, such as `41s`. */
const brief = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 120) return `${seconds}s`
  return seconds < 7200 ? `${Math.round(seconds / 60)}m` : `${Math.round(seconds / 3600)}h`
}

const cells = (runner: RunnerStatus): ReadonlyArray<string> => [
  ...[runner.address, runner.isHealthy ? "healthy" : "gone", runner.groups.join(",")],
  ...[runner.shards, runner.sessions, runner.turns].map(String),
  ...[runner.oldestTurn === undefined ? "-" : brief(runner.oldestTurn), `${brief(runner.renewedAgo)} ago`],
]

/**
 * Writes the table.
 *
 * @param status the status
 * @param stream where it is printed: colours are left out where `NO_COLOR` is set, and for what is no terminal
 */
export const write = (
  { lostTurns, runners, sessions, turns }: ClusterStatus,
  stream: NodeJS.WritableStream = process.stdout,
): string => {
  if (runners.length === 0) return "No runner has joined this cluster. Start one: zain-runner --agents FILE\n"
  const rows = [heads, ...runners.map(cells)]
  const widths = heads.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const lines = rows.map((row, number) => {
    const padded = row.map((cell, at) => cell[at < firstNumber ? "padEnd" : "padStart"](widths[at] ?? 0))
    const format = number === 0 ? "bold" : runners[number - 1]?.isHealthy ? "reset" : "red"
    return styleText(format, padded.join("  ").trimEnd(), { stream })
  })
  const healthy = runners.filter(({ isHealthy }) => isHealthy).length
  const sum = `${healthy} of ${runners.length} runners healthy, ${sessions} sessions, ${turns} turns under way, ${lostTurns} lost`
  return `${lines.join("\n")}\n\n${sum}\n`
}
