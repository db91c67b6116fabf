/**
 * Compiles and runs the snippets of some pages, or of all:
 *
 *     node --conditions=zain-source docs/snippets/main.ts [PAGE…]
 */

import * as Links from "./Links.ts"
import * as PageRun from "./PageRun.ts"
import * as Pages from "./Pages.ts"
import * as PageTests from "./PageTests.ts"
import type { Problem } from "./Snippet.ts"
import * as Workspace from "./Workspace.ts"

const named = process.argv.slice(2)
const pages = Pages.all().filter(({ page }) => named.length === 0 || named.includes(page))
const programs = pages.flatMap((page) => page.programs)
using workspace = Workspace.make(named.length === 0 ? [...programs, ...Pages.docstrings()] : programs)

const say = (line: string) => process.stdout.write(`${line}\n`)
const report = (problems: ReadonlyArray<Problem>) => {
  for (const { line, message, page } of problems) say(`${page}:${line}: ${message}\n`)
  if (problems.length > 0) process.exitCode = 1
}

report(pages.flatMap((page) => [...page.problems, ...Pages.differences(page), ...Links.broken(page)]))
report(await Workspace.compile(workspace))
for (const page of pages) report(await PageRun.run(page, workspace))
report(await PageTests.run(pages, workspace))
for (const { line, page, what, why } of pages.flatMap(({ excuses }) => excuses)) say(`${page}:${line} ${what}: ${why}`)
say(`${programs.length} programs on ${pages.length} pages`)
