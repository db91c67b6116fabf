/**
 * Outcomes as Markdown, for the terminal and for a page.
 */
import { figureOf, type Outcome } from "./Contest.ts"
import { type Fact, placement } from "./Machine.ts"
import type { Figure, Result } from "./Measure.ts"
import { floor, type Row, sdk } from "./Row.ts"

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

/** A value of the row's metric with its unit. */
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

/** Of work in another process only the row's metric is known. */
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

/** A figure of the page, in bold where it exceeds the aim. */
const judged = ({ isReached }: Outcome, figure: string): string => (isReached === false ? `**${figure}**` : figure)

const others = ({ aim }: Row): string | undefined => (aim?.of === "ratio" ? (aim.over ?? sdk) : undefined)

/** One line of the page for a row with an aim. */
const summary = (outcome: Outcome): ReadonlyArray<string> => {
  const { results, row } = outcome
  const found = figureOf(row, results)
  const most = row.aim?.most ?? Number.NaN
  const other = others(row)
  const bare = results.find(({ contestant }) => contestant === floor)?.over(sdk)
  const value = other === undefined ? amount(row, digits) : digits
  return [
    row.metric === "cpu" ? row.title : `${row.title}, ${measured(row).replace("wall ", "")}`,
    ...(other === undefined ? [] : other === sdk ? [bare === undefined ? "" : digits(bare.median)] : [other]),
    found === undefined ? "not measured" : judged(outcome, value(found.median)),
    other === undefined ? amount(row)(most) : String(most),
  ]
}

/** Events that a contestant sent and never received, in a sentence. */
const losses = (outcomes: ReadonlyArray<Outcome>): string => {
  const lossy = outcomes.flatMap(({ results, row }) =>
    results.filter((result) => result.lost > 0).map((result) => `${result.contestant} ${lost(result)} (${row.title})`),
  )
  return lossy.length === 0 ? "No client lost events." : `Events lost: ${lossy.join(", ")}.`
}

/** All ratios as a page. */
export const page = (outcomes: ReadonlyArray<Outcome>, facts: ReadonlyArray<Fact>, date: string): string => {
  const aimed = outcomes.filter(({ row }) => row.aim !== undefined)
  const table = (head: ReadonlyArray<string>, isOf: (row: Row) => boolean) =>
    markdownTable([head, ...aimed.filter(({ row }) => isOf(row)).map(summary)])
  return `${paragraphs(
    "# Performance",
    wrap(
      `Written by \`pnpm bench\` on ${date}; do not edit. \`pnpm bench --only <row>\` prints one row with conditions, ` +
        "quartiles and profile; `--list` lists the rows.",
    ),
    wrap(`Machine: ${facts.flatMap(([name, value]) => (name === placement ? [] : [`${name} ${value}`])).join(", ")}.`),
    wrap("Medians of CPU time, unless a row says memory or time. Lower is better; bold exceeds the aim."),
    "## Against the SDK's client",
    wrap(
      "1 is the client of the MCP SDK. The floor transfers the same bytes over bare pipes or `node:http`, with one " +
        "`JSON.parse`: no client can cost less.",
    ),
    table(["work", floor, "Zain", "aim"], (row) => others(row) === sdk),
    wrap(losses(outcomes)),
    "## Against the floor or less work",
    "1 is the work in the column `over`.",
    table(["work", "over", "Zain", "aim"], (row) => ![undefined, sdk].includes(others(row))),
    "## Absolute",
    table(["work", "Zain", "aim"], (row) => others(row) === undefined),
  )}\n`
}
