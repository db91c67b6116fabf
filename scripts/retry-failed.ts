/**
 * Runs the files that failed in a run of vitest once more, each alone, with the arguments given here. The file that the variable
 * `ZAIN_TEST_REPORT` names is the report of that run. What passes now is added to `node_modules/.cache/flaky.txt`.
 */
import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs"
import * as FlakyTests from "./FlakyTests.ts"
import type { TestReport } from "./TestReport.ts"

const kept = "node_modules/.cache/flaky.txt"
const path = process.env["ZAIN_TEST_REPORT"] ?? ""
const read = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "")

const report = (): TestReport | undefined => {
  const text = read(path)
  rmSync(path, { force: true })
  return text === "" ? undefined : JSON.parse(text)
}

const again = (file: string): TestReport | undefined => {
  const args = ["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2), file]
  spawnSync(process.execPath, args, { stdio: "inherit" })
  return report()
}

const { failed, flaky } = FlakyTests.judge(report(), again, read(kept).split("\n").slice(0, -1))
for (const line of flaky) appendFileSync(kept, `${line}\n`)
for (const line of failed) process.stderr.write(`${line}\n`)
process.exitCode = failed.length > 0 ? 1 : 0
