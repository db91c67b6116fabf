/**
 * Fails if a row of a page has no test that ran and passed in any run of the file that `TestReport.ts` appends to. A row whose
 * tests were skipped is reported, and fails only if `ZAIN_NEEDS_PROGRAMS` is 1.
 */
import { readFileSync } from "node:fs"
import * as Proofs from "./Proofs.ts"

const lines = readFileSync(`${process.env["ZAIN_TEST_REPORT"]}l`, "utf8").split("\n").slice(0, -1)
for (const { isSkipped, line } of Proofs.unproven(lines.map((line) => JSON.parse(line)))) {
  process.stderr.write(`Unproven: ${line}${isSkipped ? "; skipped on this machine" : ""}.\n`)
  if (!isSkipped || process.env["ZAIN_NEEDS_PROGRAMS"] === "1") process.exitCode = 1
}
