/**
 * Starts an agent as for a turn, up to the request to the model.
 */
import * as Environment from "@zain/process/Environment"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SafePath from "../SafePath.ts"
import { about, type Finding } from "./Finding.ts"
import * as Programs from "./Programs.ts"

/** What only a turn shows. */
export const notChecked = [
  "the request to the model (its address, its name, and whether it accepts the credentials)",
  "the agent's sandbox",
  "the settings of a project, which apply only with `trustProject`",
]

const maxLength = 1_000
const short = (text: string) => (text.length <= maxLength ? text : `${text.slice(0, maxLength).toWellFormed()}…`)

/** @returns the findings, and whether the login that it reports counts, because it reads its configuration */
export const check = Effect.fnUntraced(function* (
  facts: AgentFacts,
  program: Programs.Program,
  env: SafePath.Variables,
  redact: (text: string) => string,
) {
  const found = about(facts.title)
  const started = yield* Effect.result(facts.check(program, env))
  if (Result.isFailure(started)) {
    const later = started.failure._tag === "TimedOut" ? "raise --timeout, or " : ""
    const what = redact(Programs.inWords(facts.protocol, started.failure))
    return { findings: [found("agent-protocol", facts, what, later)], readsConfig: facts.question !== facts.protocol }
  }
  const { keyVariable, troubles } = started.success
  const findings = troubles.map(({ cause, fix, kind, what }) => found(`agent-${kind}`, redact(short(what)), cause, fix))
  if (troubles.length === 0) findings.push(found("agent-start.ok"))
  return {
    findings: [...findings, ...(keyVariable === undefined ? [] : key(facts, keyVariable, env))],
    readsConfig: troubles.every(({ kind }) => kind !== "config"),
  }
})

const key = (facts: AgentFacts, variable: string, env: SafePath.Variables): ReadonlyArray<Finding> => {
  const found = about(facts.title)
  const isPassed = variable in Environment.make({ [variable]: "" }, facts.environment).env
  if ((env[variable] ?? "") === "") return [found("agent-key.unset", variable, isPassed)]
  return isPassed ? [] : [found("agent-key", variable)]
}
