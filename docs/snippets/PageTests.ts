/**
 * Runs the files of tests that stand on pages, all of them by one vitest.
 */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./Pages.ts"
import type { Problem, Program } from "./Snippet.ts"
import type { Workspace } from "./Workspace.ts"

/** What this module reads of vitest's report. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message?: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: ReadonlyArray<string>
    }>
  }>
}

const conditions = JSON.stringify(["zain-source", "node", "import", "default"])
const config = `export default {
  resolve: { conditions: ${conditions} },
  ssr: { resolve: { conditions: ${conditions} } },
  test: { include: ["**/*.test.ts"], exclude: [], testTimeout: 60_000, maxWorkers: 2 },
}
`

/** What came of the tests that are among these programs. */
export const run = async (programs: ReadonlyArray<Program>, workspace: Workspace): Promise<ReadonlyArray<Problem>> => {
  const { directory, onPages, pathOf } = workspace
  const tests = new Map(programs.filter(({ use }) => use === "test").map((program) => [pathOf(program), program]))
  if (tests.size === 0) return []
  const outputFile = join(directory, "report.json")
  writeFileSync(join(directory, "vitest.config.mjs"), config)
  const args = [join(root, "docs/node_modules/vitest/vitest.mjs"), "run", "--root", directory, "--reporter=json"]
  const said = await new Promise<string>((resolve) => {
    const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024, timeout: 180_000 }
    execFile(process.execPath, [...args, `--outputFile=${outputFile}`], options, (_, out, err) => resolve(out + err))
  })
  const report = readReport(outputFile, said)
  return [...tests].flatMap(([path, { blocks, page }]) => {
    const line = blocks[0]?.line ?? 0
    const found = report.testResults.find(({ name }) => name === path)
    const results = found?.assertionResults ?? []
    const wrong = results.filter(({ status }) => status === "failed")
    if (results.length > 0 && wrong.length === 0) return []
    const none = [{ page, line, message: `no test of it was run. ${onPages(found?.message ?? said)}` }]
    return results.length === 0
      ? none
      : wrong.map(({ failureMessages = [], fullName }) => ({
          page,
          line,
          message: onPages(`${fullName}\n${failureMessages.join("\n")}`),
        }))
  })
}

const readReport = (path: string, said: string): Report => {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report
  } catch {
    throw new Error(`vitest wrote no report:\n${said}`)
  }
}
