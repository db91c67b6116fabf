/**
 * Where the snippets of this repository are: its pages of Markdown, and the examples in its docstrings.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Snippet from "./Snippet.ts"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const pages = ["*.md", "docs/*.md", "docs/decisions/*.md", "packages/*/README.md", "contract-tests/README.md"]

/** Every page whose snippets are compiled and run. */
export const all = (): ReadonlyArray<Snippet.Page> =>
  globSync([...pages, "examples/**/README.md"], { cwd: root, exclude: (path) => path.includes("node_modules") })
    .sort()
    .map((page) => Snippet.read(page, readFileSync(join(root, page), "utf8")))

/** Where a page shows a file of the repository otherwise than it is. */
export const differences = ({ copies }: Snippet.Page): ReadonlyArray<Snippet.Problem> =>
  copies.flatMap(({ block, original, page }) => {
    const path = join(root, original)
    if (!existsSync(path)) return [{ page, line: block.line, message: `there is no file ${original}` }]
    const lines = readFileSync(path, "utf8").trimEnd().split("\n")
    const length = Math.max(lines.length, block.code.length)
    const at = Array.from({ length }, (_, index) => index).find((index) => lines[index] !== block.code[index])
    if (at === undefined) return []
    const message = `this is not ${original}, whose line ${at + 1} is:\n${lines[at] ?? "(nothing)"}`
    return [{ page, line: block.line + at, message }]
  })

/** Packages that no program can import are no place for examples. */
const sources = [
  "packages/{core,sdk-client,codex-client,claude-code-client,scripted-model,loopsmith}/src/**/*.ts",
  "contract-tests/src/**/*.ts",
]

/** Every example of a docstring, as a program for the compiler alone. */
export const docstrings = (): ReadonlyArray<Snippet.Program> =>
  globSync(sources, { cwd: root })
    .sort()
    .flatMap((file) => examples(file, readFileSync(join(root, file), "utf8")))

/** The examples of one file of code, each line with the number and the column that it has there. */
export const examples = (file: string, text: string): ReadonlyArray<Snippet.Program> => {
  const lines = text.split("\n").map((line) => (/^\s*\* ?/.test(line) ? line.replace("*", " ") : ""))
  return Snippet.read(file, lines.join("\n")).programs.map((program) => ({ ...program, use: "compile" }))
}
