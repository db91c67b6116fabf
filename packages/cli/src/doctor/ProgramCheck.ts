/**
 * Checks whether an agent's program is installed.
 */
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as SafePath from "../SafePath.ts"
import { about } from "./Finding.ts"

/**
 * Where programs are searched: `env` is the host's environment, `path` the safe PATH.
 */
export interface Options {
  readonly env: SafePath.Variables
  readonly path: SafePath.SafePath
  /** Whether a missing program is a problem, and not a warning. */
  readonly isAskedFor: boolean
}

/** @returns the findings, and the absolute path of the program if it is found */
export const check = (facts: AgentFacts, { env, isAskedFor, path }: Options) => {
  const found = about(facts.title)
  const { passedOver, program } = SafePath.find(facts.program, path, env)
  const findings = passedOver.map((folder) =>
    found("warning", "agent-passed-over", `${facts.program} in ${folder} is skipped.`, {
      cause:
        "That entry of PATH is relative, or belongs to the project around the working directory, whose files are " +
        "untrusted: zain starts no agent from there. In your own programs, local() follows PATH unchanged.",
      fix: `If you trust it, pass its whole path: ${facts.factory}.local({ command: "…" }); or install it for all: ${facts.install}`,
    }),
  )
  if (program !== undefined) return { findings: [...findings, found("ok", "agent-found", program)], program }
  const what = `${facts.program} is not on PATH.`
  const missing = found(isAskedFor ? "problem" : "warning", "agent-missing", what, { fix: facts.install })
  return { findings: [...findings, missing] }
}
