/**
 * A reporter of vitest that writes what each test came to, as JSON, to the file that the variable `ZAIN_TEST_REPORT` names, and
 * appends it to the file of the same name with "l" at its end (`tests.jsonl`), which has every run.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Reporter, TestModule } from "vitest/node"

/** `passes`: all tests and hooks of the file passed. `millis`: how long a test took. */
export interface FileReport {
  readonly file: string
  readonly passes: boolean
  readonly tests: ReadonlyArray<{
    readonly title: string
    readonly state: "passed" | "failed" | "skipped" | "pending"
    readonly millis: number
  }>
}

/** `unhandled`: the number of errors outside of every test. */
export interface TestReport {
  readonly unhandled: number
  readonly files: ReadonlyArray<FileReport>
}

export class TestReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const files = modules.map((module): FileReport => {
      const tests = [...module.children.allTests()].map((test) => ({
        title: test.fullName,
        state: test.result().state,
        millis: Math.round(test.diagnostic()?.duration ?? 0),
      }))
      return { file: module.relativeModuleId, passes: module.ok(), tests }
    })
    const report: TestReport = { unhandled: errors.length, files }
    const path = process.env["ZAIN_TEST_REPORT"] as string
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(report))
    appendFileSync(`${path}l`, `${JSON.stringify(report)}\n`)
  }
}
