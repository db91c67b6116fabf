/**
 * Which tests of a failed run are flaky: those that pass when their file runs once more, alone.
 */
import type { FileReport, TestReport } from "./TestReport.ts"

/** `flaky`: a line for each test that passed alone. `failed`: why the run fails, nothing if it passes. */
export interface Verdict {
  readonly flaky: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
}

/** More flaky tests fail a run. */
const maxFlaky = 3

/**
 * @param report of a run that failed; `undefined` if it left none
 * @param again runs a file alone
 * @param before the flaky tests of earlier runs
 */
export const judge = (
  report: TestReport | undefined,
  again: (file: string) => TestReport | undefined,
  before: ReadonlyArray<string> = [],
): Verdict => {
  if (report === undefined) return { flaky: [], failed: ["The run of the tests ended without a report."] }
  if (report.unhandled > 0) return { flaky: [], failed: [`Errors outside of every test: ${report.unhandled}.`] }
  const files = report.files.filter(({ passes }) => !passes)
  if (files.length === 0) return { flaky: [], failed: ["The run failed although every test passed."] }
  const judged = files.map((first) => {
    const second = again(first.file)
    const alone = second?.unhandled === 0 ? second.files.find(({ file }) => file === first.file) : undefined
    return alone?.passes === true
      ? { flaky: lines(first, alone), failed: [] }
      : { flaky: [], failed: [`${first.file} fails alone too.`] }
  })
  const flaky = judged.flatMap((file) => file.flaky)
  const count = before.length + flaky.length
  const many = count > maxFlaky ? [`${count} tests are flaky; at most ${maxFlaky} may be.`] : []
  return { flaky, failed: [...judged.flatMap((file) => file.failed), ...many] }
}

const lines = (first: FileReport, second: FileReport): ReadonlyArray<string> => {
  const failures = first.tests.filter(({ state }) => state === "failed")
  if (failures.length === 0) return [`flaky: ${first.file}, outside of its tests`]
  return failures.map(({ millis, title }) => {
    const now = second.tests.find((test) => test.title === title)?.millis ?? 0
    return `flaky: ${first.file}, ${title}, ${millis} ms, alone ${now} ms`
  })
}
