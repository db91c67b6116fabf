/**
 * Text of agents without terminal control characters.
 */
import { width } from "@zain/command/TextWidth"

/** Control characters, bidirectional controls and Unicode line separators. */
const driving = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Removes control characters from a piece of an answer, except line feeds and tabs. */
export const harmless = (text: string): string => text.replace(driving, "")

const segmenter = new Intl.Segmenter()

/** Cuts a line without control characters into rows of a terminal. The joined rows equal the line. */
export const rows = (line: string, columns: number): ReadonlyArray<string> => {
  const cut: Array<string> = []
  let row = ""
  let used = 0
  for (const { segment } of segmenter.segment(line)) {
    const more = width(segment)
    if (used + more > columns && row !== "") {
      cut.push(row)
      row = ""
      used = 0
    }
    row += segment
    used += more
  }
  return [...cut, row]
}
