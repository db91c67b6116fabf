/**
 * The fenced blocks of a page of Markdown, those in lists and quotations too.
 */

/**
 * A block.
 *
 * - `language`, `info`: the first word after the fence, and the others; words that stand in a comment in the line before,
 *   after the same language (`<!-- ts continued -->`), are among the others
 * - `line`: of its first line of code, counted from 1; `end`: of its closing fence, counted from 0
 */
export interface Fence {
  readonly language: string
  readonly info: string
  readonly line: number
  readonly code: ReadonlyArray<string>
  readonly end: number
  readonly isClosed: boolean
}

/** All blocks of a page. */
export const of = (lines: ReadonlyArray<string>): ReadonlyArray<Fence> => {
  const found: Array<Fence> = []
  for (let at = 0; at < lines.length; at++) {
    const [, margin = "", fence, info = ""] = /^([\s>]*)(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[at] ?? "") ?? []
    if (fence === undefined) continue
    const isEnd = (line: string) => line.replace(/^[\s>]*/, "").trimEnd() === fence
    let end = at + 1
    while (end < lines.length && !isEnd(lines[end] ?? "")) end++
    const code = lines.slice(at + 1, end).map((line) => line.slice(sharedLength(line, margin)))
    const [language = "", ...words] = info.trim().split(/\s+/)
    const before = lines.slice(0, at).findLast((line) => line.trim() !== "") ?? ""
    const [, of, unseen = ""] = /^\s*<!-- (\S+) (.+) -->$/.exec(before) ?? []
    const all = of === language ? [...words, unseen] : words
    found.push({ language, info: all.join(" "), line: at + 2, code, end, isClosed: end < lines.length })
    at = end
  }
  return found
}

/** The page with empty lines in the place of its blocks. */
export const without = (text: string): string => {
  const lines = text.split(/\r?\n/)
  for (const { end, line } of of(lines)) lines.fill("", line - 2, end + 1)
  return lines.join("\n")
}

const sharedLength = (line: string, margin: string) => {
  let length = 0
  while (length < margin.length && line[length] === margin[length]) length++
  return length
}
