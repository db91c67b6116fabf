/**
 * The programs on a page of Markdown.
 *
 * A block of `ts` is compiled and run; what it prints stands in the block of `text` after it. `ts test` is a file of tests,
 * which vitest runs. `ts file=PATH` is a module that other blocks of the page import by its name; with a folder, PATH is a
 * file of the repository, which the block repeats to the letter and which is tried where it stands.
 *
 * `no-run WHY` says that a block is only compiled, and `<!-- text WHY -->` that no program prints the text below it, or
 * `<!-- texts WHY -->` that none prints any text of the page. The words of a block can stand in a comment before it, which
 * readers do not see: `<!-- ts test -->`.
 */

/** What is wrong with a page, and where; lines count from 1. */
export interface Problem {
  readonly page: string
  readonly line: number
  readonly message: string
}

/** `line`: of its first line of code. `why`: the reason that it is not run, or not compared. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
  readonly words: ReadonlyArray<string>
  readonly why?: string
}

/** `name`: of its file. `output`: the block below it. */
export interface Program extends Block {
  readonly kind: "run" | "test" | "file" | "compile"
  readonly name: string
  readonly path?: string
  readonly output?: Block
}

/** `prose`: the page with empty lines in the place of its blocks. */
export interface Page {
  readonly page: string
  readonly text: string
  readonly prose: string
  readonly programs: ReadonlyArray<Program>
  readonly problems: ReadonlyArray<Problem>
}

/** The languages of blocks that are no programs of ours. */
const languages = "text sh json python graphql yaml toml ini nginx caddy dockerfile mermaid".split(" ")

const fence = /^([ >]*)(`{3,}) *(\S*) *(.*)\n((?:.*\n)*?)\1\2 *$/gm

/**
 * @param page its path, for messages
 * @param text its content
 */
export const read = (page: string, text: string): Page => {
  const prose = text.replace(fence, (block) => block.replace(/[^\n]/g, ""))
  const isTextExcused = /^<!-- texts .+ -->$/m.test(prose)
  const problems: Array<Problem> = []
  const programs: Array<Program> = []
  let end = 0
  let above: Program | undefined
  for (const match of text.matchAll(fence)) {
    const { 0: whole, 1: margin = "", 3: language = "", 4: info = "", 5: code = "", index } = match
    const between = text.slice(end, index).trim()
    end = index + whole.length
    const [, unseen = ""] = new RegExp(`<!-- ${language} (.+) -->$`).exec(between) ?? []
    const [, words = "", why] = /^(.*?)(?:no-run (.+))?$/.exec(`${info} ${unseen}`.trim()) ?? []
    const line = text.slice(0, index).split("\n").length + 1
    const lines = code.replaceAll(new RegExp(`^${margin}`, "gm"), "")
    const block = { page, line, language, code: lines, words: words.split(" ").filter(Boolean), ...(why && { why }) }
    const problem = (message: string) => problems.push({ page, line: line - 1, message })
    const printing = above
    above = undefined
    if (language === "ts") {
      const program = programOf(block)
      if (typeof program === "string") problem(program)
      else {
        programs.push(program)
        if (program.kind === "run") above = program
      }
    } else if (!languages.includes(language)) {
      problem(
        `\`${language}\` is no language that blocks of these pages have: programs are \`ts\`, other text is \`text\``,
      )
    } else if (language === "text" && block.words.length === 0) {
      if (printing !== undefined && between === "") programs.push({ ...programs.pop(), output: block } as Program)
      else if (!isTextExcused) problem("no program prints this text: put it below one that is run, or say why")
    }
  }
  for (const [at, line] of prose.split("\n").entries()) {
    if (/^[ >]*```/.test(line)) problems.push({ page, line: at + 1, message: "this block has no end" })
  }
  return { page, text, prose, programs, problems }
}

const programOf = (block: Block): Program | string => {
  const [word = "", ...more] = block.words
  const [, path] = /^file=(\S+\.ts)$/.exec(word) ?? []
  const isTest = word === "test"
  if (more.length > 0 || (word !== "" && !isTest && path === undefined)) {
    return `\`${block.words.join(" ")}\` is no kind of a \`ts\` block: test, file=PATH or no-run WHY`
  }
  const kind = block.why !== undefined ? "compile" : isTest ? "test" : path !== undefined ? "file" : "run"
  const name = path?.split("/").at(-1) ?? `L${block.line}${kind === "test" ? ".test" : ""}.ts`
  return { ...block, kind, name, ...(path?.includes("/") && { path }) }
}

/** Whether a program printed what its page says: `…` is any text within a line, and a line of it alone any lines. */
export const prints = (expected: string, printed: string): boolean => {
  const trimmed = (text: string) => text.replace(/[ \t]+$/gm, "").trim()
  const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  const pattern = trimmed(expected)
    .split("\n")
    .map((line) => (line.trim() === "…" ? "[\\s\\S]*?" : line.split("…").map(literally).join(".*?")))
    .join("\n")
  return new RegExp(`^${pattern}$`).test(trimmed(printed))
}
