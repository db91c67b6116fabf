/**
 * Outcomes as Markdown, for the terminal and for a page.
 */
import { figureOf, type Outcome } from "./Contest.ts"
import type { Fact } from "./Machine.ts"
import type { Figure, Result } from "./Measure.ts"
import { floor, ours, type Row, sdk } from "./Row.ts"

/** Three significant digits. */
const digits = (value: number): string => {
  if (!Number.isFinite(value)) return "-"
  const size = Math.abs(value)
  return size >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(size >= 10 ? 1 : size >= 0.095 ? 2 : 3)
}

const figure = ({ high, low, median }: Figure): string => `${digits(median)} (${digits(low)} to ${digits(high)})`
const ratio = (found: Figure | undefined): string => (found === undefined ? "" : figure(found))

/** Whether the row reached its aim. */
const verdict = ({ isReached, results, row }: Outcome): string => {
  if (row.aim === undefined) return ""
  const found = figureOf(row, results)
  if (found === undefined || isReached === undefined) return "not measured"
  const value = row.aim.of === "ratio" ? digits(found.median) : amount(row, digits)(found.median)
  return `${value}, ${isReached ? "reached" : "not reached"}`
}

/** Formats a value of the row's metric. */
const amount =
  ({ metric }: Row, write: (value: number) => string = String) =>
  (value: number): string => {
    if (metric === "heap") return `${write(value)} bytes`
    return metric === "resident" ? `${write(value / 2 ** 20)} MiB` : `${write(value / 1_000)} ms`
  }

const aim = (row: Row): string => {
  if (row.aim === undefined) return ""
  const { most, of, over = sdk } = row.aim
  return of === "ratio" ? `≤ ${most} of the ${over}` : `≤ ${amount(row)(most)} a ${row.unit}`
}

/** Of work in another process the row's metric alone is known. */
const columns = (row: Row): ReadonlyArray<readonly [title: string, cell: (result: Result) => string]> => {
  const { aim, isApart, metric, unit } = row
  if (isApart === true) {
    const value = amount(row, digits)
    const range = ({ high, low, median }: Figure) => `${value(median)} (${value(low)} to ${value(high)})`
    return [
      [`${measured(row)} a ${unit}`, (result) => range(result[metric])],
      ...(aim?.of === "ratio" ? [over(aim.over ?? sdk)] : []),
    ]
  }
  const isMemory = metric === "heap"
  return [
    [isMemory ? `bytes a ${unit}` : `CPU, µs a ${unit}`, (result) => figure(isMemory ? result.heap : result.cpu)],
    [isMemory ? "resident" : `wall, µs a ${unit}`, (result) => figure(isMemory ? result.resident : result.wall)],
    ...(aim?.of === "value" ? [] : [...new Set([sdk, floor, aim?.over ?? sdk])].map(over)),
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

const lost = ({ lost, units }: Result): string => `${lost.toLocaleString("en")} of ${units.toLocaleString("en")}`

const measured = ({ metric }: Row) => ({ cpu: "CPU", wall: "wall time", heap: "memory", resident: "memory" })[metric]

const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const markdownTable = ([head = [], ...rest]: ReadonlyArray<ReadonlyArray<string>>): string => {
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
      ? "Not reached. Who took the memory that stays, of ours:"
      : "Not reached. Where the time of ours goes, of what is not idle; a write holds what the system does before it comes back:"
  return paragraphs(
    wrap(what),
    table("module", profile.modules),
    table("function, file", profile.functions),
    row.limit && wrap(row.limit),
  )
}

/** Lines as long as those of the other pages. */
const wrap = (text: string): string => text.replace(/(?![^\n]{1,120}$)([^\n]{1,120}) /g, "$1\n")

const paragraphs = (...texts: ReadonlyArray<string | undefined>): string =>
  texts.filter((text) => text !== undefined && text !== "").join("\n\n")

/** One row. */
export const section = (outcome: Outcome): string => {
  const { row } = outcome
  return paragraphs(
    `## ${row.title}`,
    row.aim === undefined ? "" : `Aim in ${measured(row)}: ${aim(row)}. Measured: ${verdict(outcome)}.`,
    row.note && wrap(row.note),
    markdownTable(lines(outcome)),
    explained(outcome),
  )
}

/** All of it as a page. */
export const page = (outcomes: ReadonlyArray<Outcome>, facts: ReadonlyArray<Fact>, date: string): string => {
  const summary = outcomes
    .filter(({ row }) => row.aim !== undefined)
    .map((outcome) => [outcome.row.title, measured(outcome.row), aim(outcome.row), verdict(outcome)])
  return `# Performance

Written by \`pnpm bench\` on ${date}; do not edit. \`pnpm bench --only <row>\` measures one row, \`--quick\` looks quickly,
\`--list\` names the rows; these write nothing.

${markdownTable([["machine", ""], ...facts])}

${markdownTable([["work", "compared", "aim", "measured"], ...summary])}

**${ours}**: the port and the Codex adapter, \`Effect.runPromise(client.execute(…))\` a call; "one fiber" makes many calls
in one Effect. **${sdk}**: \`Client\` and transport of the official SDK as they come. **${floor}**: the same bytes with
nothing around them: pipes cut at the ends of lines, or \`node:http\` with connections that are kept, and one \`JSON.parse\`.

Every contestant is a process of its own, and they take turns, block by block. Figures are medians with the quartiles
around them; a ratio is taken between blocks that ran one after the other. CPU is user and system time of the client's
process, without its server. The servers answer without an SDK (\`bench/echo.mjs\`).
The rows about LoopSmith, and those about the editor server as it is built, measure the process of the server instead.

${outcomes.map(section).join("\n\n")}
`
}
