/**
 * The pages whose rows the titles of tests cite, and which rows no test has proven.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { TestReport } from "./TestReport.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

/** A page, its rows in order, and those that a title cites. */
export interface Page {
  readonly page: string
  readonly rows: ReadonlyArray<string>
  readonly citedIn: (text: string) => ReadonlyArray<string>
}

const firstOf = (source: string, pattern: RegExp) => [...source.matchAll(pattern)].map(([, first = ""]) => first)

/** The rows after a word: `promise 7`, `design 4; Promises 1, 2 and 13`, `editors 000.4, House 2`. */
const after =
  (word: string, row = String.raw`\d+`) =>
  (source: string) => {
    const lists = firstOf(
      source,
      new RegExp(`\\b${word}\\s+((?:${row})(?:(?:\\s*,\\s*|\\s+and\\s+)(?:${row}))*)\\b`, "giu"),
    )
    return lists.flatMap((list) => list.split(/\s*,\s*|\s+and\s+/))
  }

/** Headings such as "### 7. No escaped errors". */
const headings = (page: string) => firstOf(text(page), /^### (\d+)\. \S/gm)

const editors = String.raw`\d{3}\.\d+|House \d`
const [promises, loopsmith, accepted, security] = [
  "docs/internals/promises.md",
  "docs/guides/loopsmith.md",
  "docs/internals/editor-server-accepted.md",
  "docs/concepts/security.md",
]

/** The attacks in the table of docs/concepts/security.md, each with its row. */
export const attacks = (): ReadonlyArray<readonly [name: string, row: string]> => {
  const table = text(security).split("<!-- attacks -->")[1]?.split("\n## ")[0] ?? ""
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && line.includes("](../../"))
  return rows.map((row) => [row.split("|")[1]?.trim() ?? "", row])
}

export const pages: ReadonlyArray<Page> = [
  { page: promises, rows: headings(promises), citedIn: after("promises?") },
  { page: loopsmith, rows: headings(loopsmith), citedIn: after("LoopSmith") },
  {
    page: accepted,
    rows: firstOf(text(accepted), new RegExp(`^\\| (${editors}) +\\| .+ \\|$`, "gm")),
    citedIn: after("editors", editors),
  },
  {
    page: security,
    rows: attacks().map(([name]) => name),
    citedIn: (source) => firstOf(source, /\(attack: ([^():]+)\)/g),
  },
]

/** A row that no test has proven. `isSkipped`: whether a test of it was skipped. */
export interface Unproven {
  readonly line: string
  readonly isSkipped: boolean
}

/** The rows without a test that ran and passed in any of these runs. */
export const unproven = (
  reports: ReadonlyArray<TestReport>,
  of: ReadonlyArray<Page> = pages,
): ReadonlyArray<Unproven> => {
  const tests = reports.flatMap(({ files }) => files.flatMap(({ tests }) => tests))
  const titles = (wanted: string) => tests.flatMap(({ state, title }) => (state === wanted ? title : [])).join("\n")
  const [passed, skipped] = [titles("passed"), titles("skipped")]
  return of.flatMap(({ citedIn, page, rows }) => {
    const [proven, left] = [new Set(citedIn(passed)), new Set(citedIn(skipped))]
    return rows
      .filter((row) => !proven.has(row))
      .map((row) => ({ line: `${page}, ${row}: no test passed`, isSkipped: left.has(row) }))
  })
}
