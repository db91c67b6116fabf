/**
 * The page of all rows: what users notice first, then the work of a call, then other bounds.
 */
import { figureOf, type Outcome, overOf } from "./Contest.ts"
import { placement } from "./Machine.ts"
import type { Result } from "./Measure.ts"
import { amount, bound, digits, lost, markdownTable, measured, paragraphs, wrap } from "./Report.ts"
import { floor, type Row, sdk } from "./Row.ts"
import { noticed, work } from "./rows.ts"
import type { Kept } from "./Store.ts"

/** A figure of the page, in bold where it exceeds the aim. */
const judged = ({ isReached }: Outcome, figure: string): string => (isReached === false ? `**${figure}**` : figure)

const titled = (row: Row) => (row.metric === "cpu" ? row.title : `${row.title}, ${measured(row)}`)

const medianOf = ({ results, row }: Outcome) => digits(figureOf(row, results)?.median ?? Number.NaN)

/** Ours and others as they are. */
const absolute = (outcome: Outcome): ReadonlyArray<string> => {
  const { results, row } = outcome
  const value = (result: Result) => amount(row)(result[row.metric].median)
  const [mine, ...others] = results
  const times = row.aim?.of === "ratio" ? [`${medianOf(outcome)} × ${overOf(row)}`] : []
  return [
    titled(row),
    judged(outcome, [...(mine === undefined ? [] : [value(mine)]), ...times].join(", ")),
    others.map((result) => `${result.contestant} ${value(result)}`).join(", "),
    bound(row),
  ]
}

/** Ours and the SDK's over the floor. */
const relative = (outcome: Outcome): ReadonlyArray<string> => {
  const { results, row } = outcome
  const bare = results.find(({ contestant }) => contestant === sdk)?.over(floor)
  return [titled(row), bare === undefined ? "" : digits(bare.median), judged(outcome, medianOf(outcome)), bound(row)]
}

/** Events that a contestant sent and never received, in a sentence. */
const losses = (outcomes: ReadonlyArray<Outcome>): string => {
  const lossy = outcomes.flatMap(({ results, row }) =>
    results.filter((result) => result.lost > 0).map((result) => `${result.contestant} ${lost(result)} (${row.title})`),
  )
  return lossy.length === 0 ? "No client lost events." : `Events lost: ${lossy.join(", ")}.`
}

/** What keeps rows from their aims. */
const reasons = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<string> => {
  const missed = outcomes.filter(({ isReached }) => isReached === false).map(({ row }) => row)
  const known = [...new Set(missed.flatMap(({ limit }) => limit ?? []))]
  const titles = (limit: string) => missed.filter((row) => row.limit === limit).map(({ title }) => title)
  return known.length === 0
    ? []
    : ["## Why an aim is missed", ...known.map((limit) => wrap(`**${titles(limit).join("; ")}.** ${limit}`))]
}

const machineOf = ({ facts }: Kept) =>
  facts.flatMap(([name, value]) => (name === placement ? [] : [`${name} ${value}`])).join(", ")

/** The page. `plot` is the name of the image beside it. */
export const page = (outcomes: ReadonlyArray<Kept & Outcome>, plot: string): string => {
  const days = [...new Set(outcomes.map(({ date }) => date))].sort()
  const of = (isOf: (row: Row) => boolean) => outcomes.filter(({ row }) => isOf(row))
  return `${paragraphs(
    "# Performance",
    wrap(
      `Written by \`pnpm bench\`; do not edit. \`pnpm bench --only <row>\` measures one row and prints its conditions, ` +
        "quartiles and profile; `--list` lists the rows; `--page` writes this page from the latest measurement of each row.",
    ),
    wrap(`Measured on ${days.join(", ")}. Machine: ${[...new Set(outcomes.map(machineOf))].join("; or ")}.`),
    wrap("Medians of CPU time, unless a row says memory or time. Lower is better; bold exceeds the aim."),
    "## What you notice",
    `![Start, first answer and memory of Zain beside other clients, each over its aim](${plot})`,
    markdownTable([["work", "Zain", "beside", "aim"], ...of((row) => noticed.includes(row)).map(absolute)]),
    "## Work over the floor",
    wrap(
      "1 is a client written by hand: the same bytes over one socket for each process, or over `node:http`, with one " +
        "`JSON.parse` a message and one write a call, without limits, cancelling or errors. SDK is the client of the MCP SDK.",
    ),
    markdownTable([["work", "SDK", "Zain", "aim"], ...of((row) => work.includes(row)).map(relative)]),
    wrap(losses(outcomes)),
    "## Other bounds",
    markdownTable([
      ["work", "Zain", "beside", "aim"],
      ...of((row) => !noticed.includes(row) && !work.includes(row)).map(absolute),
    ]),
    ...reasons(outcomes),
  )}\n`
}
