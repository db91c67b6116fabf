/**
 * Checks an agent's version.
 */
import { dirname } from "node:path"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SafePath from "../SafePath.ts"
import { about, type Finding } from "./Finding.ts"
import * as Programs from "./Programs.ts"
import * as ShellWords from "./ShellWords.ts"
import * as Version from "./Version.ts"

/** @returns the finding, and the version if it reports one */
export const check = Effect.fnUntraced(function* (
  facts: AgentFacts,
  { run }: Programs.Program,
  path: SafePath.SafePath,
  redact: (text: string) => string,
) {
  const command = `${facts.program} --version`
  const printed = yield* Effect.result(run(["--version"]))
  const version = Result.isSuccess(printed) ? Version.parse(printed.success.output) : undefined
  if (version !== undefined) return { finding: judged(facts, version), version }
  const what = Result.match(printed, {
    onSuccess: ({ errors, output }) =>
      `${command} prints no version: ${(errors || output.trim() || "empty output").slice(-400).toWellFormed()}`,
    onFailure: (silence) => Programs.inWords(command, silence),
  })
  const isLate = Result.isFailure(printed) && printed.failure._tag === "TimedOut"
  const found = about(facts.title)
  if (Result.isSuccess(printed) && lacksNode(printed.success.errors, path)) {
    const path = ShellWords.quoted(dirname(process.execPath))
    return { finding: found("agent-version.without-node", redact(what), path), version }
  }
  return { finding: found("agent-version.unknown", facts, redact(what), isLate), version }
})

/** Whether the program is a script that names Node, as its interpreter or in a shell, and there is none. */
const lacksNode = (errors: string, path: SafePath.SafePath): boolean =>
  /\bnode\b/.test(errors) && SafePath.find("node", path, {}).program === undefined

/** Whether the agent's server supports a version. A placeholder counts as supported. */
export const isServed = ({ oldest }: AgentFacts, version: Version.Version): boolean =>
  Version.isPlaceholder(version) || Version.compare(version, oldest) >= 0

const judged = (facts: AgentFacts, version: Version.Version): Finding => {
  const found = about(facts.title)
  const text = Version.format(version)
  if (Version.isPlaceholder(version)) return found("agent-version.placeholder", facts, text)
  if (!isServed(facts, version)) return found("agent-version.old", facts, text)
  const order = Version.compare(version, facts.tried)
  if (order === 0) return found("agent-version", `${text}, which this release was tested with.`)
  const tried = `${order > 0 ? "up to" : "with"} ${Version.format(facts.tried)}`
  return found("agent-version", `${text}; this release was tested ${tried}.`)
}
