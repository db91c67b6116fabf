/**
 * Where an agent's own program is.
 */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import * as ProgramPath from "@zain/process/ProgramPath"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as SafePath from "./SafePath.ts"

/**
 * Where an agent's program is. What PATH finds in the working directory does not count, unless it is asked for.
 *
 * @param command the program, if it is not the usual one
 * @param cwd where the agent is to work: a working directory too
 * @returns its whole path, and where else there is one that does not count
 */
export const find = (facts: AgentFacts, command?: string, cwd = process.cwd()): SafePath.Found => {
  const { env } = process
  if (command !== undefined) return { program: ProgramPath.find(command, env), passedOver: [] }
  const here = SafePath.make(env, process.cwd(), homedir())
  const there = SafePath.make({ ...env, PATH: here.path }, resolve(cwd), homedir())
  const safe = { path: there.path, passedOver: [...here.passedOver, ...there.passedOver] }
  return SafePath.find(facts.program, safe, env)
}

/**
 * What to say where there is no program to start, and what to do.
 *
 * @param command the program, if it is not the usual one
 * @param passedOver as `find` has it
 */
export const missing = (
  { install, program, title }: AgentFacts,
  command: string | undefined,
  [folder]: ReadonlyArray<string>,
): string => {
  const where = command === undefined ? `${program} on PATH` : JSON.stringify(command)
  const todo =
    folder === undefined
      ? `Install ${title} with "${install}", or pass its program with --command.`
      : `The one in ${folder} is skipped, because files of the working directory are untrusted. ` +
        `If you trust it: --command ${join(folder, program)}`
  return `There is no program ${where}. ${todo}`
}
