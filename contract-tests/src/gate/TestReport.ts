/**
 * Reads the tests of the contract suite from a report of `vitest run --reporter=json`.
 */
import { isRecord } from "@zain/process/JsonRpc"
import * as ContractNote from "./ContractNote.ts"

/**
 * One test of the suite.
 *
 * - `file`: the test file
 * - `status`: `passed` only if report and suite agree; `not-run` if vitest left it out by a filter, `.only`, `bail` or a
 *   failed hook
 * - `why`: the first line of its failure
 */
export interface ReportedCase {
  readonly file: string
  readonly note: ContractNote.ReadNote
  readonly status: "passed" | "failed" | "skipped" | "not-run"
  readonly why?: string
}

/** `brokenFiles`: the test files that did not run at all, each with the first line of its error. */
export interface TestReport {
  readonly _tag: "TestReport"
  readonly cases: ReadonlyArray<ReportedCase>
  readonly brokenFiles: ReadonlyArray<string>
}

/** A text that is no report, and the reason. */
export interface Unreadable {
  readonly _tag: "Unreadable"
  readonly message: string
}

/** Reads a report; tests of other suites are left out. */
export const read = (text: string): TestReport | Unreadable => {
  const report = parsed(text)
  if (report === undefined) return unreadable("it is no JSON. Check that the tests ran to their end.")
  const files = isRecord(report) ? report["testResults"] : undefined
  if (!Array.isArray(files)) return unreadable("it is no JSON report of vitest. Write it with `--reporter=json`.")
  const cases: Array<ReportedCase> = []
  const brokenFiles: Array<string> = []
  for (const each of files) {
    if (!isRecord(each) || typeof each["name"] !== "string" || !Array.isArray(each["assertionResults"]))
      return unreadable("one of its `testResults` has no `name` or no `assertionResults`.")
    const { assertionResults, message, status } = each
    const name = ContractNote.clean(each["name"])
    cases.push(...assertionResults.flatMap((result: unknown) => reported(name, result)))
    if (status === "failed" && typeof message === "string" && message !== "")
      brokenFiles.push(`${name}: ${firstLine(message)}`)
  }
  return { _tag: "TestReport", cases, brokenFiles }
}

const unreadable = (message: string): Unreadable => ({ _tag: "Unreadable", message })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const reported = (file: string, result: unknown): ReadonlyArray<ReportedCase> => {
  if (!isRecord(result)) return []
  const note = ContractNote.read(result["meta"])
  if (note === undefined) return []
  const [first] = Array.isArray(result["failureMessages"]) ? result["failureMessages"] : []
  const why = typeof first === "string" ? { why: firstLine(first) } : {}
  switch (result["status"]) {
    case "passed":
      // The option `fails` reports a failed test as passed, so the suite's own outcome counts too.
      return note.outcome === "passed"
        ? [{ file, note, status: "passed" }]
        : [{ file, note, status: "failed", why: `it is reported as passed, and ${seen(note.outcome)}` }]
    case "failed":
      return [{ file, note, status: "failed", ...why }]
    default:
      return [{ file, note, status: note.outcome === "skipped" ? "skipped" : "not-run" }]
  }
}

const seen = (outcome: string | undefined) =>
  outcome === undefined ? "the suite has no outcome for it" : `the outcome by the suite is ${outcome}`

const firstLine = (text: string): string => ContractNote.clean(text.split("\n", 1)[0] ?? "")
