/**
 * The command `zain-claude-code-mcp`.
 */
import * as ServerMain from "@zain/agent-server/ServerMain"
import { facts } from "../ClaudeCodeFacts.ts"

/** The command's name, facts and agent. */
export const command = {
  ...facts,
  name: facts.server,
  agent: async () => (await import("./ClaudeCodeAgent.ts")).live,
}

/**
 * Runs the command.
 *
 * @param name the command's name in help and messages
 * @param args the arguments, without that name
 * @returns the exit code
 */
export const work = (name: string, args: ReadonlyArray<string>) => ServerMain.work({ ...command, name }, args)
