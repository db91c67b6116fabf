/**
 * A run of `zain` to its end, with what it printed.
 */
import * as Effect from "effect/Effect"
import type { DoctorReport } from "../../src/doctor/Doctor.ts"
import type { Finding } from "../../src/doctor/Finding.ts"
import type { Home } from "../run/Home.ts"
import * as FakeAgents from "./FakeAgents.ts"

/** Runs it in this process, in the home's `work`, with its `bin` on PATH. */
export const run = (home: Home, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const zain = yield* home.here(args, { PATH: FakeAgents.pathOf(home), NO_COLOR: "1", ...env }, { cwd: home.work })
    return { code: yield* zain.exit, output: zain.output(), errors: zain.errors() }
  })

/** The same with `--json`, read. */
export const json = <A>(home: Home, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(run(home, [...args, "--json"], env), (ended) => ({ ...ended, report: JSON.parse(ended.output) as A }))

/** What `zain doctor` reports. */
export const doctor = (home: Home, args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
  json<DoctorReport>(home, ["doctor", ...args], env)

/** The same about one agent, which is installed first. */
export const examined = (home: Home, agent: FakeAgents.Settings, env: Readonly<Record<string, string>> = {}) => {
  FakeAgents.install(home, agent)
  return doctor(home, ["--provider", FakeAgents.providers[agent.agent]], env)
}

/** Short findings, without those of status `ok`. */
export const inShort = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.flatMap(({ kind, status, subject }) => (status === "ok" ? [] : [`${subject}: ${kind} ${status}`]))

/** The only finding of a kind. */
export const only = (findings: ReadonlyArray<Finding>, kind: string): Finding => {
  const found = findings.filter((one) => one.kind === kind)
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} findings of the kind ${kind}`)
  return found[0]
}
