/**
 * Compiles and runs the snippets of some pages, or of all:
 *
 *     node --conditions=zain-source docs/snippets/main.ts [PAGE…]
 */
import * as Links from "./Links.ts"
import * as Pages from "./Pages.ts"
import * as Programs from "./Programs.ts"
import * as Tests from "./Tests.ts"
import * as Workspace from "./Workspace.ts"

const named = process.argv.slice(2)
const pages = Pages.all().filter(({ page }) => named.length === 0 || named.includes(page))
const programs = pages.flatMap((page) => page.programs)
using workspace = Workspace.make(named.length === 0 ? [...programs, ...Pages.docstrings()] : programs)

const problems = [
  ...pages.flatMap((page) => [...page.problems, ...Pages.differences(page), ...Links.broken(page)]),
  ...(await Workspace.compile(workspace)),
  ...(await Tests.run(pages, workspace)),
]
for (const page of pages) problems.push(...(await Programs.run(page, workspace)))
for (const { line, message, page } of problems) process.stdout.write(`${page}:${line}: ${message}\n\n`)
process.stdout.write(`${programs.length} programs on ${pages.length} pages\n`)
if (problems.length > 0) process.exitCode = 1
