/**
 * Whether an agent's program is there.
 */
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as SafePath from "../SafePath.ts"
import { about } from "./Finding.ts"

/**
 * - `env`, `path`: the host's environment, and where programs are looked for
 */
export interface Options {
  readonly env: SafePath.Variables
  readonly path: SafePath.SafePath
  /** Whether its absence is a problem. */
  readonly isAskedFor: boolean
}

/** @returns the findings, and the program's whole path if there is one */
export const check = (facts: AgentFacts, { env, isAskedFor, path }: Options) => {
  const found = about(facts.title)
  const { passedOver, program } = SafePath.find(facts.program, path, env)
  const findings = passedOver.map((folder) =>
    found("warning", "agent-passed-over", `There is a ${facts.program} in ${folder}, which is passed over.`, {
      cause:
        "That entry of PATH is relative, or belongs to the project around the working directory, whose files may be " +
        "anybody's: zain starts no agent from there. In a program of yours, local() follows PATH as it is.",
      fix: `If it is the one to use, name it by its whole path: ${facts.factory}.local({ command: "…" }); or install it for all: ${facts.install}`,
    }),
  )
  if (program !== undefined) return { findings: [...findings, found("ok", "agent-found", program)], program }
  const what = `There is no program ${facts.program} on PATH.`
  const missing = found(isAskedFor ? "problem" : "warning", "agent-missing", what, { fix: facts.install })
  return { findings: [...findings, missing] }
}
