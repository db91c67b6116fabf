/**
 * Outcomes as Markdown.
 */
import { figureOf, type Outcome, overOf } from "./Contest.ts"
import type { Figure, Result } from "./Measure.ts"
import { before, floor, type Row, sdk } from "./Row.ts"

/** Three significant digits. */
export const digits = (value: number): string => {
  if (!Number.isFinite(value)) return "-"
  const size = Math.abs(value)
  return size >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(size >= 10 ? 1 : size >= 0.095 ? 2 : 3)
}

const figure = ({ high, low, median }: Figure): string => `${digits(median)} (${digits(low)} to ${digits(high)})`
const ratio = (found: Figure | undefined): string => (found === undefined ? "" : figure(found))

/** The figure of the row's aim, and whether the row reached it. */
const verdict = ({ isReached, results, row }: Outcome): string => {
  if (row.aim === undefined) return ""
  const found = figureOf(row, results)
  if (found === undefined || isReached === undefined) return "not measured"
  const value = row.aim.of === "ratio" ? `${digits(found.median)} × ${overOf(row)}` : amount(row)(found.median)
  return `${value} (${bound(row)}), ${isReached ? "reached" : "not reached"}`
}

/** A value of the row's metric with its unit. */
export const amount =
  ({ metric }: Row, write: (value: number) => string = digits) =>
  (value: number): string => {
    if (metric === "heap") return `${write(value)} bytes`
    if (metric !== "resident") return `${write(value / 1_000)} ms`
    return Math.abs(value) < 2 ** 20 ? `${write(value / 2 ** 10)} KiB` : `${write(value / 2 ** 20)} MiB`
  }

/** The bound of the row's aim. */
export const bound = (row: Row): string => {
  if (row.aim === undefined) return ""
  const { max, of } = row.aim
  return of === "ratio" ? `≤ ${max} ×` : `≤ ${amount(row, String)(max)}`
}

/** Of work in another process only the row's metric is known. */
const columns = (row: Row): ReadonlyArray<readonly [title: string, cell: (result: Result) => string]> => {
  const { aim, isApart, metric, unit } = row
  if (isApart === true) {
    const value = amount(row)
    const range = ({ high, low, median }: Figure) => `${value(median)} (${value(low)} to ${value(high)})`
    return [
      [`${measured(row)} a ${unit}`, (result) => range(result[metric])],
      ...(aim?.of === "ratio" ? [over(overOf(row))] : []),
    ]
  }
  const isMemory = metric === "heap" || metric === "resident"
  return [
    [isMemory ? `bytes a ${unit}` : `CPU, µs a ${unit}`, (result) => figure(isMemory ? result.heap : result.cpu)],
    [isMemory ? "resident" : `wall, µs a ${unit}`, (result) => figure(isMemory ? result.resident : result.wall)],
    ...(aim?.of === "value" ? [] : [...new Set([before, sdk, floor, overOf(row)])].map(over)),
  ]
}

const over = (other: string) =>
  [`over ${other}`, ({ contestant, over }: Result) => (contestant === other ? "" : ratio(over(other)))] as const

/** A row's contestants, a line each, under a line of titles. */
const lines = ({ results, row }: Outcome): ReadonlyArray<ReadonlyArray<string>> => {
  const counts = row.name.startsWith("events") ? [["lost", lost] as const] : []
  const shown = [...columns(row), ...counts].filter(([, cell]) => results.some((result) => cell(result) !== ""))
  return [
    ["", ...shown.map(([title]) => title)],
    ...results.map((result) => [result.contestant, ...shown.map(([, cell]) => cell(result))]),
  ]
}

export const lost = ({ lost, units }: Result): string => `${lost.toLocaleString("en")} of ${units.toLocaleString("en")}`

export const measured = ({ metric }: Row) => ({ cpu: "CPU", wall: "time", heap: "memory", resident: "memory" })[metric]

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

export const markdownTable = ([head = [], ...rest]: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [head, ...rest]
  const widths = head.map((_, column) => Math.max(3, ...all.map((line) => (line[column] ?? "").length)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest.map(line)].join("\n")
}

const explained = ({ profile, row }: Outcome): string => {
  if (profile === undefined) return ""
  const table = (title: string, shares: typeof profile.modules) =>
    markdownTable([[title, "share"], ...shares.map(({ name, share }) => [name.replaceAll("|", "\\|"), percent(share)])])
  const what =
    profile.of === "memory"
      ? "Not reached. What holds the memory that stays, of ours:"
      : "Not reached. Where ours spends its time, without idle time; a write includes the time of the system call:"
  return paragraphs(
    wrap(what),
    table("module", profile.modules),
    table("function, file", profile.functions),
    row.limit && wrap(row.limit),
  )
}

/** Lines as long as those of the other pages. */
export const wrap = (text: string): string => text.replace(/(?![^\n]{1,120}$)([^\n]{1,120}) /g, "$1\n")

export const paragraphs = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((text) => text !== undefined && text !== "").join("\n\n")

/** The line of a row that is measured again on every change. */
export const line = (outcome: Outcome): string => `${outcome.row.title}, ${measured(outcome.row)}: ${verdict(outcome)}.`

/** One row. */
export const section = (outcome: Outcome): string => {
  const { row } = outcome
  return paragraphs(
    `## ${row.title}`,
    `${measured(row)}: ${verdict(outcome)}.`,
    row.note && wrap(row.note),
    markdownTable(lines(outcome)),
    explained(outcome),
  )
}
