/**
 * Breaks help and messages between words, for a terminal.
 */
import { stripVTControlCharacters } from "node:util"
import { width, wrap } from "@zain/command/TextWidth"

/** A text of more lines is cut. */
const maxLines = 1_000

/** The least width of a description beside its option. */
const minColumns = 24

/** The margin of a description below its option. */
const deep = " ".repeat(6)

/** Breaks a message; its lines after the first are indented. */
export const message = (text: string, columns: number): string => {
  const lines = text.split("\n").map((line) => {
    if (width(line) <= columns) return line
    const [margin = ""] = /^ */.exec(line) ?? []
    const below = `${margin}  `
    return margin + wrap(line.trimStart(), columns - below.length, maxLines).join(`\n${below}`)
  })
  return lines.join("\n")
}

/** Breaks a help; descriptions keep their column, and commands of examples stay complete. */
export const help = (text: string, columns: number): string => {
  let isExample = false
  const lines = text.split("\n").flatMap((line) => {
    if (/^\S/.test(line)) isExample = line.includes("EXAMPLES")
    const [, margin = "", row = ""] = /^( *)(.*)$/.exec(line) ?? []
    if (width(line) <= columns) return [line]
    const isComment = stripVTControlCharacters(row).startsWith("# ")
    if (isComment) return beside(`${margin}# `, row.replace("# ", ""), `${margin}# `, columns)
    if (isExample) return command(row, columns - margin.length).map((part) => margin + part)
    const [, left = margin, right = row] = /^( +\S.*? {2,})(\S.*)$/.exec(line) ?? []
    const at = width(left)
    if (columns - at >= minColumns || left === margin) return beside(left, right, " ".repeat(at), columns)
    return [left.trimEnd(), ...beside(deep, right, deep, columns)]
  })
  return lines.join("\n")
}

/** @param below the beginning of the lines after the first */
const beside = (left: string, right: string, below: string, columns: number): ReadonlyArray<string> =>
  wrap(right, columns - width(below), maxLines).map((part, row) => (row === 0 ? left : below) + part)

/** Breaks a command between words outside of quotes, as a shell continues it. */
const command = (text: string, columns: number): ReadonlyArray<string> => {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const lines: Array<string> = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && width(`${last} ${word} \\`) <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `  ${word}`)
  }
  return lines.map((line, at) => (at === lines.length - 1 ? line : `${line} \\`))
}
