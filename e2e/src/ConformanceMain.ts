/**
 * `pnpm conformance`: runs every scenario that applies, prints how many checks passed, and exits with 1 when one did not.
 */
import * as Effect from "effect/Effect"
import * as Conformance from "./Conformance.ts"
import type { Verdict } from "./ConformanceRunner.ts"
import * as ServerConformance from "./ServerConformance.ts"

const verdicts: Array<Verdict> = []

const tell = (side: string, verdict: Verdict) => {
  const { checks, ok, passed, scenario } = verdict
  verdicts.push(verdict)
  process.stdout.write(`${ok ? "passed" : "FAILED"}  ${side} ${scenario}: ${passed} of ${checks} checks\n`)
}
const names = <Scenarios extends object>(scenarios: Scenarios) =>
  Object.keys(scenarios) as unknown as ReadonlyArray<keyof Scenarios & string>

for (const scenario of names(Conformance.scenarios)) tell("client", await Conformance.check(scenario))
for (const command of ServerConformance.commands) {
  const judged = Effect.gen(function* () {
    const url = yield* ServerConformance.serve(command)
    for (const scenario of names(ServerConformance.scenarios)) {
      tell(command, yield* Effect.promise(() => ServerConformance.check(scenario, url)))
    }
  })
  await Effect.runPromise(Effect.scoped(judged))
}

const failed = verdicts.filter(({ ok }) => !ok)
const checks = verdicts.reduce((sum, { passed }) => sum + passed, 0)
for (const { printed } of failed) process.stderr.write(`\n${printed}`)
for (const [scenario, why] of Object.entries(ServerConformance.others)) {
  process.stdout.write(`left out  ${scenario}: ${why}\n`)
}
process.stdout.write(
  `${verdicts.length - failed.length} of ${verdicts.length} scenarios passed, ${checks} checks; ` +
    `${Object.keys(ServerConformance.others).length} server scenarios do not apply\n`,
)
process.exitCode = failed.length === 0 ? 0 : 1
