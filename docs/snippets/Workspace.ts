/**
 * A directory with the programs of all pages, where they can import what a user's programs can.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import type * as Page from "./Page.ts"
import { root } from "./Pages.ts"

/**
 * - `pathOf`: where a program stands
 * - `onPages`: a text of a compiler or of a program, with the pages in the place of their programs
 */
export interface Workspace extends Disposable {
  readonly directory: string
  readonly pathOf: (program: Page.Program) => string
  readonly onPages: (text: string) => string
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
  // By default the compiler leaves out everything below `dist`.
  exclude: ["node_modules"],
}

/** Writes all programs, each line where it stands on its page. Disposal removes them. */
export const make = (programs: ReadonlyArray<Page.Program>): Workspace => {
  // Inside the package of the docs, whose dependencies are those that the pages speak of.
  const parent = join(root, "docs/dist")
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, "snippets-"))
  const pathOf = ({ name, page }: Page.Program) => join(directory, page, name)
  for (const program of programs) {
    mkdirSync(dirname(pathOf(program)), { recursive: true })
    const original = relative(join(directory, program.page), join(root, program.path ?? ""))
    const code = program.path === undefined ? program.code : `export * from ${JSON.stringify(original)}\n`
    writeFileSync(pathOf(program), `${"\n".repeat(program.line - 1)}${code}`)
  }
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings))
  const place = new RegExp(
    `(?:file://)?(?:${directory}|${relative(root, directory)})/(.+?\\.(?:md|ts))/[\\w.-]+?\\.ts`,
    "g",
  )
  return {
    directory,
    pathOf,
    onPages: (text) => text.replace(place, "$1"),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** How a program ended, and what it printed. */
export interface Ended {
  readonly how: string | undefined
  readonly stdout: string
  readonly said: string
}

/** Runs a program of Node. It has four minutes, which only end what hangs. */
export const node = (args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd, env: { ...env, NO_COLOR: "1", FORCE_COLOR: "0" }, maxBuffer: 2 ** 26, timeout: 240_000 }
    execFile(process.execPath, args, options, (failure, stdout, stderr) => {
      const how = failure === null ? undefined : `it ended with ${failure.signal ?? `the exit code ${failure.code}`}`
      resolve({ how, stdout, said: stdout + stderr })
    }).stdin?.end()
  })

/** Compiles everything at once. */
export const compile = async ({ directory, onPages }: Workspace): Promise<ReadonlyArray<Page.Problem>> => {
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const { how, said } = await node([compiler, "--noEmit", "--pretty", "false", "-p", directory], root)
  // An error begins a line, and is explained on indented ones.
  const errors = said.split(/\n(?=\S)/).filter((error) => error.trim() !== "")
  if (how !== undefined && errors.length === 0) return [{ page: "tsc", line: 0, message: how }]
  return errors.flatMap((error) => {
    const [, page, line, column, message] = /^(.+?)\((\d+),(\d+)\): error ([\s\S]*)$/.exec(onPages(error)) ?? []
    if (page === undefined) return [{ page: "tsc", line: 0, message: error }]
    // Errors in a package's own code are reported by the type check of the packages.
    if (error.startsWith(`${page}(`)) return []
    return [{ page, line: Number(line), message: `column ${column}: ${message?.trimEnd()}` }]
  })
}

const conditions = JSON.stringify(["zain-source", "node", "import", "default"])
const vitestConfig = `export default {
  resolve: { conditions: ${conditions} },
  ssr: { resolve: { conditions: ${conditions} } },
  test: { include: ["**/L*.test.ts"], testTimeout: 240_000, maxWorkers: 2 },
}
`

/** What is wrong with the files of tests, which one vitest runs: it must end well. A case says by itself why it is skipped. */
export const test = async ({ directory, onPages }: Workspace): Promise<ReadonlyArray<Page.Problem>> => {
  writeFileSync(join(directory, "vitest.config.mjs"), vitestConfig)
  const vitest = join(root, "docs/node_modules/vitest/vitest.mjs")
  const { how, said } = await node([vitest, "run", "--root", directory], directory)
  return how === undefined ? [] : [{ page: "vitest", line: 0, message: `${how}\n${onPages(said)}` }]
}
