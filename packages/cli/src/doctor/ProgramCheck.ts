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
