/**
 * The agents' own programs: what they are called, where they are, and how people get them.
 */
import { homedir } from "node:os"
import { resolve } from "node:path"
import * as ProgramPath from "@zain/tool-server/ProgramPath"
import * as SafePath from "./SafePath.ts"

/** The agents that `zain` knows. */
export const names = ["codex", "claude-code"] as const
export type AgentName = (typeof names)[number]

/**
 * - `title`: what people call it
 * - `program`: what it is called on PATH
 * - `install`: how people get it
 */
export interface AgentProgram {
  readonly title: string
  readonly program: string
  readonly install: string
}

export const programs: Readonly<Record<AgentName, AgentProgram>> = {
  codex: { title: "Codex", program: "codex", install: "npm install --global @openai/codex" },
  "claude-code": { title: "Claude Code", program: "claude", install: "npm install --global @anthropic-ai/claude-code" },
}

/**
 * Where an agent's program is. What PATH finds in the working directory does not count, unless it is asked for.
 *
 * @param command the program, if it is not the usual one
 * @param cwd where the agent is to work: a working directory too
 * @returns its whole path, and where else there is one that does not count
 */
export const find = (agent: AgentName, command?: string, cwd = process.cwd()): SafePath.Found => {
  const { env } = process
  if (command !== undefined) return { program: ProgramPath.find(command, env), passedOver: [] }
  const here = SafePath.make(env, process.cwd(), homedir())
  const there = SafePath.make({ ...env, PATH: here.path }, resolve(cwd), homedir())
  const safe = { path: there.path, passedOver: [...here.passedOver, ...there.passedOver] }
  return SafePath.find(programs[agent].program, safe, env)
}
