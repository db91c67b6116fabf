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
  const findings = passedOver.map((folder) => found("agent-passed-over", facts, folder))
  if (program !== undefined) return { findings: [...findings, found("agent-found", program)], program }
  return { findings: [...findings, found("agent-missing", facts, isAskedFor)] }
}
