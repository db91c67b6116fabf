/**
 * Runs the files of tests that stand on pages, all of them by one vitest.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page, Problem } from "./Page.ts"
import { root } from "./Pages.ts"
import { node, type Workspace } from "./Workspace.ts"

/** What this module reads of vitest's report. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message?: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly title: string
      readonly failureMessages?: ReadonlyArray<string>
    }>
  }>
}

const conditions = JSON.stringify(["zain-source", "node", "import", "default"])
const config = `export default {
  resolve: { conditions: ${conditions} },
  ssr: { resolve: { conditions: ${conditions} } },
  test: { include: ["**/L*.test.ts"], exclude: [], testTimeout: 240_000, maxWorkers: 2 },
}
`

/**
 * What is wrong with the tests on these pages: vitest must end well, each file needs a test that passed, and only the tests
 * that the page names between `<!-- skips` and `-->`, a title a line, are skipped.
 */
export const run = async (pages: ReadonlyArray<Page>, workspace: Workspace): Promise<ReadonlyArray<Problem>> => {
  const { directory, onPages, pathOf } = workspace
  const files = pages.flatMap(({ programs }) => programs.filter(({ kind }) => kind === "test"))
  if (files.length === 0) return []
  const outputFile = join(directory, "report.json")
  writeFileSync(join(directory, "vitest.config.mjs"), config)
  const reports = ["--reporter=default", "--reporter=json", `--outputFile.json=${outputFile}`]
  const vitest = join(root, "docs/node_modules/vitest/vitest.mjs")
  const { how, said } = await node([vitest, "run", "--root", directory, ...reports], directory)
  if (!existsSync(outputFile)) return [{ page: "vitest", line: 0, message: said }]
  const { testResults }: Report = JSON.parse(readFileSync(outputFile, "utf8"))
  const found = pages.flatMap(({ page, prose }) => {
    const of = files.filter((file) => file.page === page)
    const results = of.map((file) => ({ ...file, ...testResults.find(({ name }) => name === pathOf(file)) }))
    const excused = [...prose.matchAll(/<!-- skips\n([\s\S]*?)\n-->/g)].flatMap(([, titles = ""]) => titles.split("\n"))
    const skipped = results.flatMap(({ assertionResults = [], line }) =>
      assertionResults.flatMap(({ status, title }) => (/passed|failed/.test(status) ? [] : [{ line, title }])),
    )
    const titles = skipped.map(({ title }) => title)
    return [
      ...results.flatMap(({ assertionResults = [], line, message }) => {
        const failures = assertionResults.flatMap((each) => (each.status === "failed" ? [each] : []))
        const messages = failures.map(({ failureMessages, title }) => `${title}\n${failureMessages?.join("\n")}`)
        const hasPassed = assertionResults.some(({ status }) => status === "passed")
        if (!hasPassed && failures.length === 0) messages.push(`no test of it has passed. ${message}`)
        return messages.map((each) => ({ page, line, message: onPages(each) }))
      }),
      ...skipped
        .filter(({ title }) => !excused.includes(title))
        .map(({ line, title }) => ({ page, line, message: `${title}\nwas not run, and the page does not say so` })),
      ...excused
        .filter((title) => !titles.includes(title))
        .map((title) => ({ page, line: 0, message: `no test skips itself that is called: ${title}` })),
    ]
  })
  // Such as an unhandled rejection, which belongs to no test.
  return found.length > 0 || how === undefined
    ? found
    : [{ page: "vitest", line: 0, message: `${how}\n${onPages(said)}` }]
}
