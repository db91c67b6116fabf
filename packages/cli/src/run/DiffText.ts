/**
 * The diffs of a request as rows of a terminal, and the number of lines that do not fit.
 */
import type { McpFileChange } from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { rows } from "../ExactText.ts"
import type { Paint } from "../Output.ts"

/** A row of a diff. `isFirst`: whether it begins a line */
export interface Row {
  readonly text: string
  readonly isFirst: boolean
}

/** The shown part of a diff. `hidden`, `lines`: how many of its lines are not shown whole, and how many it has */
export interface Shown {
  readonly rows: ReadonlyArray<Row>
  readonly hidden: number
  readonly lines: number
}

/** The minimum of rows for each diff. */
const minRows = 3

/**
 * @param columns the width of a row
 * @param room rows for all diffs together
 * @returns the shown part of each change; unused rows of one go to others
 */
export const fit = (
  changes: ReadonlyArray<McpFileChange>,
  { columns, paint, room }: { readonly columns: number; readonly paint: Paint; readonly room: number },
): ReadonlyArray<Shown> => {
  const max = Math.max(minRows, room)
  const whole = changes.map(({ diff }) => shown(diff, columns, max, paint))
  let left = room
  const shares = whole.map(() => 0)
  const [...bySize] = whole.keys()
  bySize.sort((one, other) => need(whole[one]) - need(whole[other]))
  for (const [at, index] of bySize.entries()) {
    shares[index] = Math.max(minRows, Math.min(need(whole[index]), Math.floor(left / (bySize.length - at))))
    left -= shares[index] ?? 0
  }
  return changes.map(({ diff }, at) => shown(diff, columns, shares[at] ?? minRows, paint))
}

/** The row with the number of missing lines counts too. */
const need = (diff: Shown | undefined) => (diff === undefined ? 0 : diff.rows.length + Math.sign(diff.hidden))

const shown = (diff: string, columns: number, max: number, paint: Paint): Shown => {
  const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n")
  const cut = cutTo(lines, columns, max, paint)
  return cut.hidden === 0 ? cut : cutTo(lines, columns, max - 1, paint)
}

const cutTo = (lines: ReadonlyArray<string>, columns: number, max: number, paint: Paint): Shown => {
  const taken: Array<Row> = []
  for (const [at, line] of lines.entries()) {
    const left = max - taken.length
    // Bounds the work for a long line.
    const looked = columns * (left + 1)
    const inRows = left === 0 ? [] : rows(visible(line.slice(0, looked).replaceAll("\t", tab)), columns)
    const texts = inRows.slice(0, left)
    taken.push(...texts.map((text, part) => ({ text: colour(line, paint)(text), isFirst: part === 0 })))
    if (left === 0 || inRows.length > left || line.length > looked)
      return { rows: taken, hidden: lines.length - at, lines: lines.length }
  }
  return { rows: taken, hidden: 0, lines: lines.length }
}

const tab = "    "

const colour = (line: string, { cyan, green, red }: Paint): ((text: string) => string) => {
  if (line.startsWith("+")) return green
  if (line.startsWith("-")) return red
  return line.startsWith("@@") ? cyan : (text) => text
}
