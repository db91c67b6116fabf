/**
 * Runs the files of tests that stand on pages, all of them by one vitest.
 */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./Pages.ts"
import type { Page, Problem } from "./Snippet.ts"
import type { Workspace } from "./Workspace.ts"

/** What this module reads of vitest's report. */
interface Report {
  readonly testResults: ReadonlyArray<TestFile>
}

interface TestFile {
  readonly name: string
  readonly status: string
  readonly message?: string
  readonly assertionResults: ReadonlyArray<Result>
}

interface Result {
  readonly status: string
  readonly title: string
  readonly fullName: string
  readonly failureMessages?: ReadonlyArray<string>
}

const conditions = JSON.stringify(["zain-source", "node", "import", "default"])
const config = `export default {
  resolve: { conditions: ${conditions} },
  ssr: { resolve: { conditions: ${conditions} } },
  test: { include: ["**/*.test.ts"], exclude: [], testTimeout: 240_000, maxWorkers: 2 },
}
`

/**
 * What came of the tests on these pages. Vitest must end well, and each file must hold a test that passed, and none that
 * did not. A test that skips itself is named by its page, in a comment that no reader sees:
 *
 *     <!-- skips
 *     the title of the test
 *     -->
 */
export const run = async (pages: ReadonlyArray<Page>, workspace: Workspace): Promise<ReadonlyArray<Problem>> => {
  const { directory, onPages, pathOf } = workspace
  const tests = pages.flatMap(({ page, programs, text }) => {
    const files = programs.flatMap((program) => (program.use === "test" ? [{ path: pathOf(program), program }] : []))
    return files.length === 0 ? [] : [{ page, files, skips: skipsOf(text) }]
  })
  if (tests.length === 0) return []
  const outputFile = join(directory, "report.json")
  writeFileSync(join(directory, "vitest.config.mjs"), config)
  const { how, said } = await vitest(directory, outputFile)
  const report = readReport(outputFile, said)
  const found = tests.flatMap(({ files, page, skips }) => {
    const results = files.map(({ path }) => report.testResults.find(({ name }) => name === path))
    const skipped = results.flatMap((result) => result?.assertionResults.filter(isSkipped) ?? [])
    const idle = skips.filter((name) => !skipped.some(({ title }) => title === name))
    return [
      ...files.flatMap(({ program }, at) => {
        const messages = wrong(results[at], new Set(skips))
        return messages.map((message) => ({ page, line: program.blocks[0]?.line ?? 0, message: onPages(message) }))
      }),
      ...idle.map((name) => ({ page, line: 0, message: `no test skips itself that is called: ${name}` })),
    ]
  })
  if (found.length > 0 || how === undefined) return found
  // Such as a rejection that nobody handles: it belongs to no test.
  const message = `${how}. It said:\n${onPages(said)}`
  const named = tests.flatMap(({ files, page }) =>
    files.flatMap(({ path, program: { blocks } }) =>
      said.includes(`"${path.slice(directory.length + 1)}" test file`)
        ? [{ page, line: blocks[0]?.line ?? 0, message }]
        : [],
    ),
  )
  return named.length > 0 ? named : [{ page: "vitest", line: 0, message }]
}

const skipsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<!-- skips\n([\s\S]*?)-->/g)].flatMap(([, body = ""]) =>
    body
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  )

const isSkipped = ({ status }: Result) => status !== "passed" && status !== "failed"

const wrong = (file: TestFile | undefined, skips: ReadonlySet<string>): ReadonlyArray<string> => {
  if (file === undefined) return ["vitest did not find it"]
  const { assertionResults, message = "", status } = file
  const failed = assertionResults.filter((each) => each.status === "failed")
  const skipped = assertionResults.filter((each) => isSkipped(each) && !skips.has(each.title))
  const found = [
    ...failed.map(({ failureMessages = [], fullName }) => `${fullName}\n${failureMessages.join("\n")}`),
    ...skipped.map(({ fullName, status }) => `${fullName}\nwas not run (${status}), and the page does not say so`),
  ]
  if (failed.length > 0) return found
  if (!assertionResults.some((each) => each.status === "passed")) found.push(`no test of it has passed. ${message}`)
  else if (status !== "passed") found.push(`the file has not passed, but ${status}. ${message}`)
  return found
}

/** Runs all files. `how`: how vitest ended, if not well. */
const vitest = async (directory: string, outputFile: string) => {
  const reports = ["--reporter=default", "--reporter=json", `--outputFile.json=${outputFile}`]
  const args = [join(root, "docs/node_modules/vitest/vitest.mjs"), "run", "--root", directory, ...reports]
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" }
  const options = { cwd: directory, env, maxBuffer: 64 * 1024 * 1024, timeout: 240_000 }
  return new Promise<{ readonly how: string | undefined; readonly said: string }>((resolve) => {
    execFile(process.execPath, args, options, (failure, out, err) => {
      const how =
        failure === null ? undefined : `vitest ended with ${failure.signal ?? `the exit code ${failure.code}`}`
      resolve({ how, said: out + err })
    })
  })
}

const readReport = (path: string, said: string): Report => {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report
  } catch {
    throw new Error(`vitest wrote no report:\n${said}`)
  }
}
