/**
 * Where the snippets of this repository are: its pages of Markdown, and the examples in its docstrings.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Page from "./Page.ts"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const pages = ["*.md", "docs/**/*.md", "packages/*/README.md", "contract-tests/README.md"]

/** Packages that no program can import are no place for examples. */
const sources = [
  "packages/{agents,core,process,sdk-client,codex-client,claude-code-client,scripted-model,loopsmith}/src/**/*.ts",
  "contract-tests/src/**/*.ts",
]

/** Packages, and generated pages. */
const excluded = /(?:^|[\\/])(?:node_modules|reference[\\/]api|blender-graphql\.md)(?:[\\/]|$)/

const read = (patterns: ReadonlyArray<string>) =>
  globSync(patterns, { cwd: root, exclude: (path) => excluded.test(path) })
    .sort()
    .map((file) => [file, readFileSync(join(root, file), "utf8")] as const)

/** Every page whose snippets are compiled and run. */
export const all = (): ReadonlyArray<Page.Page> =>
  read([...pages, "examples/**/README.md"]).map(([page, text]) => Page.read(page, text))

/** Every example of a docstring, as a program for the compiler alone. */
export const docstrings = (): ReadonlyArray<Page.Program> =>
  read(sources).flatMap(([file, text]) => examples(file, text))

/** The examples of one file of code, each line with the number that it has there. */
export const examples = (file: string, text: string): ReadonlyArray<Page.Program> => {
  const lines = text.split("\n").map((line) => (/^\s*\* ?/.test(line) ? line.replace("*", " ") : ""))
  return Page.read(file, lines.join("\n")).programs.map((program) => ({ ...program, kind: "compile" }))
}

/** Where a page shows a file of the repository otherwise than it is. */
export const differences = ({ programs }: Page.Page): ReadonlyArray<Page.Problem> =>
  programs.flatMap(({ code, line, page, path }) => {
    if (path === undefined) return []
    const file = join(root, path)
    if (!existsSync(file)) return [{ page, line, message: `there is no file ${path}` }]
    const [expected, shown] = [readFileSync(file, "utf8").trimEnd().split("\n"), code.trimEnd().split("\n")]
    const at = Array.from(expected.length > shown.length ? expected : shown).findIndex(
      (_, n) => expected[n] !== shown[n],
    )
    if (at < 0) return []
    return [{ page, line: line + at, message: `this is not ${path}, whose line ${at + 1} is:\n${expected[at] ?? ""}` }]
  })
