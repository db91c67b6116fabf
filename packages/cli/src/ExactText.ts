/**
 * Text of agents as it is, without anything that a terminal would obey.
 */
import { width } from "@zain/tool-server/TextWidth"

/** What a terminal obeys, what turns the direction of writing, and what ends lines elsewhere. */
const driving = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** The text of an answer, in whatever pieces it comes. Lines and tabs stay. */
export const harmless = (text: string): string => text.replace(driving, "")

const segmenter = new Intl.Segmenter()

/** A line that is all visible, cut into rows of a terminal, exactly: what is put together again is the line. */
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
