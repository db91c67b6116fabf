/**
 * Rows as a table: with lines on a terminal, and without them in a pipe.
 */
import { clean, clip, pad, width } from "@zain/tool-server/TerminalText"
import CliTable from "cli-table3"
import type { Output } from "../Output.ts"

type Screen = Pick<Output, "columns" | "isTerminal" | "paint">

/** A column is at least this wide. */
const narrowest = 6
/** What lines and spaces take of each column. */
const around = 3

/**
 * @param wide the column that is clipped where the terminal is too narrow
 */
export const inWords = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  wide: number,
  screen: Screen,
): string => {
  const { isTerminal, paint } = screen
  const cells = rows.map((row) => row.map(clean))
  const widths = head.map((title, at) =>
    cells.reduce((most, row) => Math.max(most, width(row[at] ?? "")), width(title)),
  )
  const others = widths.reduce((sum, one, at) => sum + around + (at === wide ? 0 : one), 1)
  if (!isTerminal) {
    const line = (row: ReadonlyArray<string>) => row.map((cell, at) => pad(cell, widths[at] ?? 0)).join("  ")
    return [head, ...cells].map((row) => `${line(row).trimEnd()}\n`).join("")
  }
  const left = Math.max(narrowest, screen.columns() - others)
  const table = new CliTable({ head: head.map((title) => paint.bold(title)), style: { head: [], border: [] } })
  for (const row of cells) table.push(row.map((cell, at) => (at === wide ? clip(cell, left) : cell)))
  return `${table.toString()}\n`
}
