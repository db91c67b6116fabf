/**
 * Checks an agent's login, as it reports it.
 */
import { statSync } from "node:fs"
import type { AgentFacts, Login } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SafePath from "../SafePath.ts"
import { about, type Finding } from "./Finding.ts"
import * as Programs from "./Programs.ts"
import * as ShellWords from "./ShellWords.ts"

const maxLength = 1_000
const short = (text: string) => text.slice(0, maxLength).toWellFormed()

/** A finding if the agent's home is not a directory. */
export const home = (facts: AgentFacts, env: SafePath.Variables): Finding | undefined => {
  const path = facts.home === undefined ? undefined : env[facts.home]
  if (path === undefined || path === "") return undefined
  const isThere = Result.try(() => statSync(path).isDirectory())
  if (Result.isSuccess(isThere) && isThere.success) return undefined
  const make = ShellWords.command(["mkdir", "-p", path])
  return about(facts.title)("agent-config.home", facts, short(path), make)
}

/** @returns the findings, the first of them about the login, and the login if the agent reports it */
export const check = Effect.fnUntraced(function* (
  facts: AgentFacts,
  program: Programs.Program,
  redact: (text: string) => string,
) {
  const found = about(facts.title)
  const asked = yield* Effect.result(facts.login(program))
  if (Result.isFailure(asked)) return { findings: [silent(facts, asked.failure, redact)] }
  const { isElsewhere = false, login, trusted = [] } = asked.success
  const trusts = trusted.length === 0 ? [] : [found("agent-trusts", redact(trust(trusted)))]
  return { findings: [judged(facts, login, isElsewhere), ...trusts], login }
})

/** The number of directories in a finding. */
const maxDirectories = 10

const trust = (directories: ReadonlyArray<string>): string => {
  const named = directories.slice(0, maxDirectories).join(", ")
  const more = directories.length > maxDirectories ? `, and ${directories.length - maxDirectories} more` : ""
  return `Its user trusts ${short(named)}${more}. Zain applies their settings only with \`trustProject\`.`
}

const silent = (facts: AgentFacts, silence: Programs.Silence, redact: (text: string) => string): Finding => {
  const what = redact(Programs.inWords(facts.question, silence))
  const later = silence._tag === "TimedOut" ? "raise --timeout, or " : ""
  return about(facts.title)("agent-login.silent", facts, what, later)
}

const judged = (facts: AgentFacts, login: Login, isElsewhere: boolean): Finding => {
  const found = about(facts.title)
  switch (login.state) {
    case "in":
      return found("agent-login", login.how)
    case "not-needed":
      return found("agent-login.not-needed")
    case "out":
      return found(isElsewhere ? "agent-login.elsewhere" : "agent-login.out", facts)
    case "unknown":
      return found("agent-login.unknown", facts)
  }
}
