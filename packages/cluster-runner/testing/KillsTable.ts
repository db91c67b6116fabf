/**
 * The table of `pnpm cluster:kills`: each fault, and what became of its turns.
 */
import { type Event, type Fault, faults, type Locks, type Turn } from "./KilledCluster.ts"

/** The events of one fault with one kind of locks. Times are in seconds, of turns that had an outcome at their caller. */
export interface Row {
  readonly fault: Fault
  readonly locks: Locks
  readonly events: number
  readonly turns: number
  /** How many turns had each outcome, such as `connection-lost unknown`. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly p50: number
  readonly worst: number
  readonly violations: number
}

/** Counts what became of turns, the most frequent first. */
const outcomesOf = (turns: ReadonlyArray<Turn>) => {
  const counts: Record<string, number> = {}
  for (const { outcome = "no end" } of turns) counts[outcome] = (counts[outcome] ?? 0) + 1
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a))
}
const text = (outcomes: Row["outcomes"]) =>
  Object.entries(outcomes)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")

const timesOf = (turns: ReadonlyArray<Turn>) => {
  const times = turns.flatMap(({ millis = 0 }) => (millis > 0 ? [millis / 100] : [])).sort((a, b) => a - b)
  const at = (part: number) => Math.round(times[Math.floor(part * (times.length - 1))] ?? 0) / 10
  return { p50: at(0.5), worst: at(1) }
}

/** Returns one row for each fault and kind of locks that occurred. */
export const rows = (events: ReadonlyArray<Event>): ReadonlyArray<Row> =>
  faults.flatMap((fault) =>
    (["leases", "advisory"] as const).flatMap((locks) => {
      const own = events.filter((event) => event.fault === fault && event.locks === locks)
      const turns = own.flatMap((event) => event.turns)
      const violations = own.reduce((sum, event) => sum + event.violations.length, 0)
      const counts = { events: own.length, turns: turns.length, outcomes: outcomesOf(turns), violations }
      return own.length === 0 ? [] : [{ fault, locks, ...counts, ...timesOf(turns) }]
    }),
  )

/** One event as a line. */
export const line = ({ fault, millis, turns, violations }: Event): string =>
  [
    `${fault}: ${text(outcomesOf(turns))}; worst ${timesOf(turns).worst} s, over after ${Math.round(millis / 1000)} s`,
    ...violations,
  ].join("\n  ")

/** Writes the table, and what was violated. */
export const write = (
  rows: ReadonlyArray<Row>,
  {
    seconds,
    seed,
    violations,
  }: { readonly seed: string; readonly seconds: number; readonly violations: ReadonlyArray<string> },
): string => {
  const cells = rows.map((row) => [
    ...[row.fault, row.locks, row.events, row.turns, row.p50.toFixed(1), row.worst.toFixed(1), row.violations],
    text(row.outcomes),
  ])
  const all = [["FAULT", "LOCKS", "EVENTS", "TURNS", "P50 s", "WORST s", "VIOLATIONS", "OUTCOMES"], ...cells].map(
    (row) => row.map(String),
  )
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? []
  const lines = all.map((row) =>
    row
      .map((cell, at) => (at > 1 && at < 7 ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  )
  const [events, turns] = [
    rows.reduce((sum, row) => sum + row.events, 0),
    rows.reduce((sum, row) => sum + row.turns, 0),
  ]
  const sum = `${events} events, ${turns} turns in ${seconds} s, seed ${seed}: ${violations.length} violations`
  return `${[...lines, "", ...violations, sum].join("\n")}\n`
}
