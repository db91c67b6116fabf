/**
 * `pnpm conformance`: runs every scenario, prints how many checks passed, and exits with 1 when one did not.
 */
import * as Conformance from "./Conformance.ts"

const names = Object.keys(Conformance.scenarios) as ReadonlyArray<Conformance.Scenario>
const failed: Array<string> = []
let total = 0

for (const name of names) {
  const { checks, ok, passed, printed } = await Conformance.check(name)
  total += passed
  if (!ok) failed.push(printed)
  process.stdout.write(`${ok ? "passed" : "FAILED"}  ${name}: ${passed} of ${checks} checks\n`)
}

for (const printed of failed) process.stderr.write(`\n${printed}`)
process.stdout.write(`${names.length - failed.length} of ${names.length} scenarios, ${total} checks passed\n`)
process.exitCode = failed.length === 0 ? 0 : 1
