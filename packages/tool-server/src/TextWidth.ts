/**
 * Text in the columns of a terminal. Only those who draw load this: a command starts faster without it.
 */
import stringWidth from "string-width"
import wrapAnsi from "wrap-ansi"

/** How many columns a text takes. */
export const width = (text: string): number => stringWidth(text)

const segmenter = new Intl.Segmenter()

/** How many code units a column holds. Longer sequences of combining marks are cut. */
const mostUnits = 32

/** The beginning of a text, in so many columns at most; a text that is cut ends in "…". */
export const clip = (text: string, columns: number): string => {
  if (columns < 1) return ""
  // Segments without a width have no end in sight: what can never be shown is not looked at.
  const looked = text.slice(0, columns * mostUnits).toWellFormed()
  let taken = ""
  let used = 0
  let short = ""
  for (const { segment } of segmenter.segment(looked)) {
    used += width(segment)
    if (used > columns) return `${short}…`
    taken += segment
    if (used < columns) short = taken
  }
  return looked.length < text.length ? `${short}…` : taken
}

/** The lines of a text in so many columns, `most` at most; the last is clipped. */
export const wrap = (text: string, columns: number, most: number): ReadonlyArray<string> => {
  const lines = wrapAnsi(text.slice(0, columns * most * 4), columns, { hard: true }).split("\n")
  const shown = lines.slice(0, most - 1)
  const rest = lines.slice(most - 1).join(" ")
  return [...shown, clip(rest, columns)].filter((line) => line !== "")
}

/** A text with blanks after it, up to so many columns. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))
