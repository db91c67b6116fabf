/**
 * A directory with the programs of all pages, where they can import what a user's programs can.
 */
import { type ExecFileException, execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { root } from "./Pages.ts"
import * as Snippet from "./Snippet.ts"

/** Stands between the blocks of a program, and tells what each of them prints from what the others do. */
export const separator = "\u001e"

/**
 * - `pathOf`: where a program stands
 * - `onPages`: a text of the compiler or of a program, with the pages in the place of their programs
 */
export interface Workspace extends Disposable {
  readonly directory: string
  readonly pathOf: (program: Snippet.Program) => string
  readonly onPages: (text: string) => string
  readonly isEmpty: boolean
}

const settings = {
  compilerOptions: {
    target: "ES2024",
    lib: ["ES2024", "ESNext.Disposable"],
    types: ["node"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    moduleDetection: "force",
    strict: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    noEmit: true,
    customConditions: ["zain-source"],
  },
  include: ["**/*.ts"],
  // By default everything below `dist` is none of the compiler's business.
  exclude: ["node_modules"],
}

/** Writes all programs. Nothing of it stays after its disposal. */
export const make = (programs: ReadonlyArray<Snippet.Program>): Workspace => {
  // Inside the package of the docs, whose dependencies are those that the pages speak of.
  const parent = join(root, "docs/dist")
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, "snippets-"))
  const pathOf = ({ file, page }: Snippet.Program) => join(directory, page, file)
  for (const program of programs) {
    const path = pathOf(program)
    mkdirSync(dirname(path), { recursive: true })
    const code = Snippet.source(program, `;process.stdout.write("${JSON.stringify(separator).slice(1, -1)}")`)
    writeFileSync(path, program.directory === undefined ? code : fromDirectory(code, dirname(path), program.directory))
  }
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings))
  const places = [
    [new RegExp(`(?:file://)?${directory}/(.+?\\.(?:md|ts))/[\\w.-]+?\\.ts`, "g"), "$1"],
    [new RegExp(`${relative(root, directory)}/(.+?\\.(?:md|ts))/[\\w.-]+?\\.ts`, "g"), "$1"],
  ] as const
  return {
    directory,
    isEmpty: programs.length === 0,
    pathOf,
    onPages: (text) => places.reduce((said, [place, page]) => said.replace(place, page), text),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

const fromDirectory = (code: string, here: string, directory: string) =>
  code.replace(/(\bfrom\s+|\bimport\s+|\bimport\(|\bimport\.meta\.resolve\()"(\.\.?\/[^"]+)"/g, (_, before, path) => {
    const target = relative(here, join(root, directory, path))
    return `${before}"${target}"`
  })

/**
 * Compiles everything at once. A compiler that did not end by itself has found nothing out.
 *
 * @param compiler the program that compiles
 */
export const compile = async (
  { directory, isEmpty, onPages }: Workspace,
  compiler = join(root, "node_modules/typescript/bin/tsc"),
): Promise<ReadonlyArray<Snippet.Problem>> => {
  if (isEmpty) return []
  const args = [compiler, "--noEmit", "--pretty", "false", "-p", directory]
  const { failure, said } = await new Promise<{ readonly failure: ExecFileException | null; readonly said: string }>(
    (resolve) => {
      execFile(process.execPath, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (failure, out, err) =>
        resolve({ failure, said: out + err }),
      )
    },
  )
  // An error begins a line, and is explained on indented ones.
  const errors = said.split(/\n(?=\S)/).filter((error) => error.trim() !== "")
  const problems = errors.flatMap((error) => {
    const [, page = "", line, column, message] = /^(.+?)\((\d+),(\d+)\): error ([\s\S]*)$/.exec(onPages(error)) ?? []
    if (line === undefined) return [{ page: "tsc", line: 0, message: error }]
    // What is wrong with a package's own code is told by the type check of the packages.
    if (error.startsWith(`${page}(`)) return []
    return [{ page, line: Number(line), message: `column ${column}: ${message?.trimEnd()}` }]
  })
  if (failure === null || (errors.length > 0 && typeof failure.code === "number" && !failure.signal)) return problems
  const how = failure.signal ?? `the exit code ${failure.code}`
  return [...problems, { page: "tsc", line: 0, message: `the compiler ended with ${how}` }]
}
