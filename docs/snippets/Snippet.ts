/**
 * The blocks of TypeScript on a page of Markdown, and the programs that they make.
 *
 * A block is a whole program. Words after `ts` say otherwise:
 *
 * - `continued`: goes on with the program before it on the page
 * - `test`: a file of tests, which vitest runs
 * - `file=Name.ts`: a module that other blocks of the page import as `./Name.ts`
 * - `in=directory`: its relative imports are those of a file in that directory of the repository
 * - `is=path/of/File.ts`: that file of the repository to the letter, which is run where it stands
 * - `no-run why`: compiled only
 *
 * Where they would be in a reader's way they stand before it: `<!-- ts continued -->`. A block of `text` that
 * follows directly is what the block prints.
 */

/** One block. Lines count from 1; `line` is that of its first line of code. */
export interface Block {
  readonly line: number
  readonly code: ReadonlyArray<string>
  readonly words: Words
  readonly output?: Output
}

/** What a block prints. `…` stands for any text within a line, and a line of it alone for any lines. */
export interface Output {
  readonly line: number
  readonly text: string
}

/** What the words after `ts` say. */
export interface Words {
  readonly continued: boolean
  readonly test: boolean
  readonly file?: string
  readonly directory?: string
  readonly original?: string
  readonly noRun?: string
}

/** - `run`: for Node; `test`: for vitest; `compile`: for the compiler alone; `module`: for whoever imports it */
export type Use = "run" | "test" | "compile" | "module"

/** A file of code, whose lines stand where they stand on the page. */
export interface Program {
  readonly page: string
  readonly file: string
  readonly use: Use
  readonly directory?: string
  readonly blocks: ReadonlyArray<Block>
}

/** What is wrong with a page, and where. */
export interface Problem {
  readonly page: string
  readonly line: number
  readonly message: string
}

/** A block that is a file of the repository. */
export interface Copy {
  readonly page: string
  readonly block: Block
  readonly original: string
}

/** Why a block is not run. */
export interface Excuse {
  readonly page: string
  readonly line: number
  readonly why: string
}

/** A page that was read. */
export interface Page {
  readonly page: string
  readonly text: string
  readonly programs: ReadonlyArray<Program>
  readonly copies: ReadonlyArray<Copy>
  readonly problems: ReadonlyArray<Problem>
  readonly excuses: ReadonlyArray<Excuse>
}

interface Fence {
  readonly info: string
  readonly line: number
  readonly code: ReadonlyArray<string>
  readonly end: number
}

/** Names of languages that would hide a program from the compiler. */
const others = /^(typescript|tsx|js|jsx|javascript|mjs|mts)\b/i

/**
 * @param page the path of the page, for messages
 * @param text the page
 */
export const read = (page: string, text: string): Page => {
  const lines = text.split(/\r?\n/)
  const fences = fencesOf(lines)
  const problems: Array<Problem> = []
  const excuses: Array<Excuse> = []
  const programs: Array<Program> = []
  const copies: Array<Copy> = []
  for (const [at, { code, end, info, line }] of fences.entries()) {
    const wrong = (message: string) => problems.push({ page, line: line - 1, message })
    if (others.test(info)) wrong(`a block of \`${info}\` is not compiled: call it \`ts\``)
    if (!/^ts\b/.test(info)) continue
    const words = wordsOf(info.slice(2).trim())
    if (typeof words === "string") {
      wrong(words)
      continue
    }
    const block: Block = { line, code, words, ...outputOf(lines, end, fences[at + 1]) }
    if (words.original !== undefined) {
      copies.push({ page, block, original: words.original })
      continue
    }
    if (words.noRun !== undefined) excuses.push({ page, line, why: words.noRun })
    const before = programs.findLastIndex(({ use }) => use === "run")
    const base = programs[before]
    if (!words.continued) programs.push(programOf(page, block))
    else if (base === undefined) wrong("there is no program before it that it could go on with")
    else if (words.noRun === undefined) programs[before] = { ...base, blocks: [...base.blocks, block] }
    else programs.push({ ...base, file: `L${line}.ts`, use: "compile", blocks: [...base.blocks, block] })
  }
  return { page, text, programs, copies, problems, excuses }
}

/** The code of a program. Every line has the number that it has on its page; `between` stands before each later block. */
export const source = ({ blocks }: Pick<Program, "blocks">, between = ""): string => {
  const lines: Array<string> = []
  for (const [index, { code, line }] of blocks.entries()) {
    while (lines.length < line - 1) lines.push("")
    if (index > 0) lines[line - 2] = between
    lines.push(...code)
  }
  return `${lines.join("\n")}\n`
}

/** Whether a program printed what its page says. */
export const prints = (expected: string, printed: string): boolean => {
  const pattern = trimmed(expected)
    .split("\n")
    .map((line) => (line.trim() === "…" ? "[\\s\\S]*?" : line.split("…").map(literally).join(".*?")))
    .join("\n")
  return new RegExp(`^${pattern}$`).test(trimmed(printed))
}

const trimmed = (text: string) => text.replace(/[ \t]+$/gm, "").trim()

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const programOf = (page: string, block: Block): Program => {
  const { directory, file, noRun, test } = block.words
  const use: Use = noRun !== undefined ? "compile" : test ? "test" : file !== undefined ? "module" : "run"
  const name = file ?? `L${block.line}${use === "test" ? ".test" : ""}.ts`
  return { page, file: name, use, blocks: [block], ...(directory === undefined ? {} : { directory }) }
}

const wordsOf = (info: string): Words | string => {
  const [, words = "", noRun] = /^(.*?)(?:(?:^|\s)no-run\b(.*))?$/.exec(info) ?? []
  if (noRun?.trim() === "") return "`no-run` needs a reason after it"
  const found = { continued: false, test: false } as { -readonly [Key in keyof Words]: Words[Key] }
  if (noRun !== undefined) found.noRun = noRun.trim()
  for (const word of words.split(/\s+/).filter((each) => each !== "")) {
    const [, key, value] = /^(file|in|is)=(\S+)$/.exec(word) ?? []
    if (word === "continued" || word === "test") found[word] = true
    else if (key === "file" && /^[\w.-]+\.ts$/.test(value ?? "")) found.file = value as string
    else if (key === "in") found.directory = value as string
    else if (key === "is") found.original = value as string
    else return `\`${word}\` is no word for a block of \`ts\``
  }
  return found
}

/** Fenced blocks, those in lists and quotations too. */
const fencesOf = (lines: ReadonlyArray<string>): ReadonlyArray<Fence> => {
  const found: Array<Fence> = []
  for (let at = 0; at < lines.length; at++) {
    const [, margin = "", fence, info = ""] = /^([\s>]*)(`{3,}|~{3,})\s*([^`]*)$/.exec(lines[at] ?? "") ?? []
    if (fence === undefined) continue
    const isEnd = (line: string) => line.replace(/^[\s>]*/, "").trimEnd() === fence
    let end = at + 1
    while (end < lines.length && !isEnd(lines[end] ?? "")) end++
    const code = lines.slice(at + 1, end).map((line) => line.slice(sharedLength(line, margin)))
    const before = lines.slice(0, at).findLast((line) => line.trim() !== "") ?? ""
    const [, unseen = ""] = /^\s*<!-- ts (.*) -->$/.exec(before) ?? []
    found.push({ info: `${info} ${unseen}`.trim(), line: at + 2, code, end })
    at = end
  }
  return found
}

const sharedLength = (line: string, margin: string) => {
  let length = 0
  while (length < margin.length && line[length] === margin[length]) length++
  return length
}

const outputOf = (lines: ReadonlyArray<string>, end: number, next: Fence | undefined): Pick<Block, "output"> => {
  if (next?.info !== "text") return {}
  const between = lines.slice(end + 1, next.line - 2)
  return between.every((line) => line.trim() === "") ? { output: { line: next.line, text: next.code.join("\n") } } : {}
}
