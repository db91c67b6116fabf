/**
 * The diffs of a request, as rows of a terminal: all that fits, and how much does not.
 */
import type { McpFileChange } from "@zain/core/McpApproval"
import { visible } from "@zain/core/TerminalText"
import { rows } from "../ExactText.ts"
import type { Paint } from "../Output.ts"

/** A row of a diff. `isFirst`: it begins a line */
export interface Row {
  readonly text: string
  readonly isFirst: boolean
}

/** What is shown of one diff. `hidden`, `lines`: how many of its lines are not shown whole, and how many it has */
export interface Shown {
  readonly rows: ReadonlyArray<Row>
  readonly hidden: number
  readonly lines: number
}

/** No diff has less than this, however many share the room. */
const least = 3

/**
 * @param columns how wide a row may be
 * @param room how many rows all of them may take together
 * @returns for each change what is shown of it. What one does not need, others take
 */
export const fit = (
  changes: ReadonlyArray<McpFileChange>,
  { columns, paint, room }: { readonly columns: number; readonly paint: Paint; readonly room: number },
): ReadonlyArray<Shown> => {
  const most = Math.max(least, room)
  const whole = changes.map(({ diff }) => shown(diff, columns, most, paint))
  let left = room
  const shares = whole.map(() => 0)
  const [...bySize] = whole.keys()
  bySize.sort((one, other) => need(whole[one]) - need(whole[other]))
  for (const [at, index] of bySize.entries()) {
    shares[index] = Math.max(least, Math.min(need(whole[index]), Math.floor(left / (bySize.length - at))))
    left -= shares[index] ?? 0
  }
  return changes.map(({ diff }, at) => shown(diff, columns, shares[at] ?? least, paint))
}

/** The row that says how much is missing takes room too. */
const need = (diff: Shown | undefined) => (diff === undefined ? 0 : diff.rows.length + Math.sign(diff.hidden))

const shown = (diff: string, columns: number, most: number, paint: Paint): Shown => {
  const lines = diff === "" ? [] : diff.replace(/\n$/, "").split("\n")
  const cut = cutTo(lines, columns, most, paint)
  return cut.hidden === 0 ? cut : cutTo(lines, columns, most - 1, paint)
}

const cutTo = (lines: ReadonlyArray<string>, columns: number, most: number, paint: Paint): Shown => {
  const taken: Array<Row> = []
  for (const [at, line] of lines.entries()) {
    const left = most - taken.length
    // Of a line that is too long, no more is looked at than there is room for.
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
