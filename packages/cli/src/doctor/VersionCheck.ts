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
    const finding = found("problem", "agent-version", redact(what), {
      cause: `It is a script for Node, and no node is on PATH. zain runs with ${process.execPath}.`,
      fix: `export PATH="$PATH:"${ShellWords.quoted(dirname(process.execPath))}`,
    })
    return { finding, version }
  }
  const finding = found("problem", "agent-version", redact(what), {
    cause: isLate
      ? "The program hangs, is another program of that name, or needs more time."
      : "The program does not run, or is another program of that name.",
    fix: isLate ? `Raise --timeout, or ${facts.install}` : facts.install,
  })
  return { finding, version }
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
  if (Version.isPlaceholder(version)) {
    return found("warning", "agent-version", `Its version is ${text}, a placeholder.`, {
      cause: "It was built from source, or is another program, so its version cannot be checked.",
      fix: `${facts.install}@latest`,
    })
  }
  if (!isServed(facts, version)) {
    return found("warning", "agent-version", `${text} is older than ${facts.server} supports.`, {
      ...(facts.ownOnly === undefined ? {} : { cause: facts.ownOnly }),
      fix: `${facts.install}@latest`,
    })
  }
  const order = Version.compare(version, facts.tried)
  const tried = Version.format(facts.tried)
  if (order === 0) return found("ok", "agent-version", `${text}, which this release was tested with.`)
  return order > 0
    ? found("ok", "agent-version", `${text}; this release was tested up to ${tried}.`)
    : found("ok", "agent-version", `${text}; this release was tested with ${tried}.`)
}
