/**
 * Measures text in terminal columns. Import it dynamically: a command starts faster without it.
 */
import stringWidth from "string-width"
import wrapAnsi from "wrap-ansi"

/** Returns how many columns a text occupies. */
export const width = (text: string): number => stringWidth(text)

const segmenter = new Intl.Segmenter()

/** How many code units of a column are kept; longer sequences of combining marks are cut. */
const maxColumnLength = 32

/** Returns the beginning of a text in at most so many columns; a text that is cut ends in "…". */
export const clip = (text: string, columns: number): string => {
  if (columns < 1) return ""
  // Segments without width could be endless: text that cannot be shown is not examined.
  const looked = text.slice(0, columns * maxColumnLength).toWellFormed()
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

/** Wraps a text into at most `max` lines of so many columns; the last line is clipped. */
export const wrap = (text: string, columns: number, max: number): ReadonlyArray<string> => {
  const lines = wrapAnsi(text.slice(0, columns * max * 4), columns, { hard: true }).split("\n")
  const shown = lines.slice(0, max - 1)
  const rest = lines.slice(max - 1).join(" ")
  return [...shown, clip(rest, columns)].filter((line) => line !== "")
}

/** Pads a text with spaces to so many columns. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))
