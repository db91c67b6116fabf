/**
 * Rows as a table: with lines on a terminal, and without them in a pipe.
 */
import { clean, clip, width } from "@zain/tool-server/TerminalText"
import CliTable from "cli-table3"
import type { Output } from "../Output.ts"

type Screen = Pick<Output, "columns" | "isTerminal" | "paint">

const none = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((name) => [name, ""]),
)

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
  const widths = head.map((title, at) => Math.max(width(title), ...cells.map((row) => width(row[at] ?? ""))))
  const others = widths.reduce((sum, one, at) => sum + around + (at === wide ? 0 : one), 1)
  const left = isTerminal ? Math.max(narrowest, screen.columns() - others) : Number.POSITIVE_INFINITY
  const table = new CliTable({
    head: head.map((title) => paint.bold(title)),
    style: { head: [], border: [], ...(isTerminal ? {} : { "padding-left": 0, "padding-right": 0 }) },
    ...(isTerminal ? {} : { chars: { ...none, middle: "  " } }),
  })
  for (const row of cells) table.push(row.map((cell, at) => (at === wide ? clip(cell, left) : cell)))
  return table
    .toString()
    .split("\n")
    .map((line) => `${line.trimEnd()}\n`)
    .join("")
}
