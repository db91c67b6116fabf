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
 * - `prints-nothing`: has words that print, and yet prints nothing when it is run
 * - `no-box why`: what it prints is not on the page
 *
 * Where they would be in a reader's way they stand before it: `<!-- ts continued -->`. A block of `text` that
 * follows directly is its box: what the block prints. Every program that prints has one. Text that no program of the
 * page prints is marked by `<!-- text why -->` before it, or by one `<!-- texts why -->` for the whole page.
 */
import * as Fences from "./Fences.ts"

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
  readonly noBox?: string
  readonly printsNothing: boolean
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

/** What is not proven, and why: that a block runs, or that a box is what is printed. */
export interface Excuse {
  readonly page: string
  readonly line: number
  readonly what: string
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

/** The languages of blocks that are no programs of ours. */
const languages = new Set(["text", "sh", "json", "yaml", "toml", "ini", "nginx", "caddy", "dockerfile", "mermaid"])

/** Names of languages that would hide a program from the compiler. */
const others = /^(typescript|javascript|[cm]?[jt]sx?)$/i

/**
 * @param page the path of the page, for messages
 * @param text the page
 */
export const read = (page: string, text: string): Page => {
  const lines = text.split(/\r?\n/)
  const fences = Fences.of(lines)
  const problems: Array<Problem> = []
  const excuses: Array<Excuse> = []
  const programs: Array<Program> = []
  const copies: Array<Copy> = []
  const boxes = new Set<Fences.Fence>()
  const { 1: excuse } = /^<!-- texts (.+) -->$/m.exec(Fences.without(text)) ?? []
  if (excuse !== undefined) excuses.push({ page, line: 0, what: "text is not compared with a program", why: excuse })
  for (const [at, fence] of fences.entries()) {
    const { code, info, isClosed, language, line } = fence
    const wrong = (message: string) => problems.push({ page, line: line - 1, message })
    if (!isClosed) wrong("this block has no end")
    if (language === "text" && !boxes.has(fence)) {
      if (info !== "") excuses.push({ page, line, what: "text is not compared with a program", why: info })
      else if (excuse === undefined) wrong("no program prints this box: put it below one that is run, or say why")
    }
    if (language !== "ts") {
      if (others.test(language)) wrong(`a block of \`${language}\` is not compiled: call it \`ts\``)
      else if (language === "") wrong("this block does not say its language: `text`, if it has none")
      else if (!languages.has(language)) wrong(`\`${language}\` is no language that blocks of these pages have`)
      continue
    }
    const words = wordsOf(info)
    if (typeof words === "string") {
      wrong(words)
      continue
    }
    const box = isRun(words) ? boxOf(lines, fence, fences[at + 1]) : undefined
    if (box !== undefined) boxes.add(box)
    const output = box === undefined ? {} : { output: { line: box.line, text: box.code.join("\n") } }
    const block: Block = { line, code, words, ...output }
    if (words.original !== undefined) {
      copies.push({ page, block, original: words.original })
      continue
    }
    if (words.noRun !== undefined) excuses.push({ page, line, what: "is not run", why: words.noRun })
    if (words.noBox !== undefined) excuses.push({ page, line, what: "has no box", why: words.noBox })
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

const isRun = ({ continued, file, noRun, original, test }: Words) =>
  noRun === undefined && original === undefined && (continued || (!test && file === undefined))

const wordsOf = (info: string): Words | string => {
  const [, words = "", mark, why = ""] = /^(.*?)(?:(?:^|\s)(no-run|no-box)\b(.*))?$/.exec(info) ?? []
  if (mark !== undefined && why.trim() === "") return `\`${mark}\` needs a reason after it`
  const found = { continued: false, test: false, printsNothing: false } as {
    -readonly [Key in keyof Words]: Words[Key]
  }
  if (mark === "no-run") found.noRun = why.trim()
  if (mark === "no-box") found.noBox = why.trim()
  for (const word of words.split(/\s+/).filter((each) => each !== "")) {
    const [, key, value] = /^(file|in|is)=(\S+)$/.exec(word) ?? []
    if (word === "continued" || word === "test") found[word] = true
    else if (word === "prints-nothing") found.printsNothing = true
    else if (key === "file" && /^[\w.-]+\.ts$/.test(value ?? "")) found.file = value as string
    else if (key === "in") found.directory = value as string
    else if (key === "is") found.original = value as string
    else return `\`${word}\` is no word for a block of \`ts\``
  }
  return found
}

/** The box of a block: the next one, if it is of plain text and nothing stands between the two. */
const boxOf = (lines: ReadonlyArray<string>, { end }: Fences.Fence, next: Fences.Fence | undefined) =>
  next?.language === "text" &&
  next.info === "" &&
  lines.slice(end + 1, next.line - 2).every((line) => line.trim() === "")
    ? next
    : undefined
