/**
 * Formats rows as a table: with lines on a terminal, without them in a pipe, and cells below each other on a narrow
 * terminal.
 */
import { clean } from "@zain/command/PlainText"
import { clip, pad, width, wrap } from "@zain/command/TextWidth"
import CliTable from "cli-table3"
import type { Output } from "../Output.ts"

type Screen = Pick<Output, "columns" | "isTerminal" | "paint">

/** The minimum of a clipped column, in characters. */
const minColumnLength = 12
/** The most lines of a cell on a narrow terminal. */
const maxLines = 100
/** The width of lines and spaces per column. */
const around = 3

/**
 * @param wide the column that is clipped on a narrow terminal
 */
export const inWords = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  wide: number,
  screen: Screen,
): string => {
  const { isTerminal, paint } = screen
  const cells = rows.map((row) => row.map(clean))
  const widths = head.map((title, at) => cells.reduce((max, row) => Math.max(max, width(row[at] ?? "")), width(title)))
  const others = widths.reduce((sum, one, at) => sum + around + (at === wide ? 0 : one), 1)
  if (!isTerminal) {
    const line = (row: ReadonlyArray<string>) => row.map((cell, at) => pad(cell, widths[at] ?? 0)).join("  ")
    return [head, ...cells].map((row) => `${line(row).trimEnd()}\n`).join("")
  }
  const left = screen.columns() - others
  if (left < Math.min(minColumnLength, widths[wide] ?? 0))
    return cells.map((row) => stacked(head, row, screen)).join("\n")
  const table = new CliTable({ head: head.map((title) => paint.bold(title)), style: { head: [], border: [] } })
  for (const row of cells) table.push(row.map((cell, at) => (at === wide ? clip(cell, left) : cell)))
  const [top, titles, rule, ...lines] = table.toString().split("\n")
  return `${[top, titles, rule, ...lines.filter((line) => !line.startsWith("├"))].join("\n")}\n`
}

/** The first cell as a heading, and the others below it, unclipped. */
const stacked = (head: ReadonlyArray<string>, [first = "", ...others]: ReadonlyArray<string>, screen: Screen) => {
  const { paint } = screen
  const indent = Math.max(...head.slice(1).map(width)) + 4
  const columns = Math.max(minColumnLength, screen.columns() - indent)
  const lines = others.flatMap((cell, at) =>
    cell === ""
      ? []
      : wrap(cell, columns, maxLines).map(
          (row, part) => `${paint.dim(pad(part === 0 ? `  ${head[at + 1]}` : "", indent))}${row}`,
        ),
  )
  return [...wrap(first, screen.columns(), maxLines).map(paint.bold), ...lines, ""].join("\n")
}
