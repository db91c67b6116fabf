/**
 * Where an agent's own program is.
 */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import * as ProgramPath from "@zain/process/ProgramPath"
import type { AgentFacts } from "@zain/sdk-client/AgentFacts"
import * as SafePath from "./SafePath.ts"

/**
 * Finds an agent's program. Programs that PATH finds in the working directory are skipped, unless `command` names one.
 *
 * @param command the program, if it is not the usual one
 * @param cwd the agent's directory; PATH entries below it are skipped too
 * @returns its whole path, and the skipped directories that have one
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
 * The message for a missing program, with the remedy.
 *
 * @param command the program, if it is not the usual one
 * @param passedOver the skipped directories of `find`
 */
export const missing = (
  { install, program, title }: AgentFacts,
  command: string | undefined,
  [folder]: ReadonlyArray<string>,
): string => {
  const where = command === undefined ? `${program} was not found on PATH` : `${JSON.stringify(command)} was not found`
  const todo =
    folder === undefined
      ? `Install ${title} with "${install}", or pass its program with --command.`
      : `The one in ${folder} is skipped, because files of the working directory are untrusted. ` +
        `If you trust it: --command ${join(folder, program)}`
  return `The program ${where}. ${todo}`
}
