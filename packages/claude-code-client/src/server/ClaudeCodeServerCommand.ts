/**
 * Claude Code as an MCP server, on any arguments.
 */
import * as Main from "@zain/agent-server/Main"
import { facts } from "../ClaudeCodeFacts.ts"

/** The command of the package. */
export const command = {
  ...facts,
  name: facts.server,
  agent: async () => (await import("./ClaudeCodeAgent.ts")).live,
}

/**
 * @param name what the command is called in help and messages
 * @param args the arguments, without that name
 * @returns the exit code
 */
export const work = (name: string, args: ReadonlyArray<string>) => Main.work({ ...command, name }, args)
