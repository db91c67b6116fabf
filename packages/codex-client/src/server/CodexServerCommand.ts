/**
 * The command `zain-codex-mcp`.
 */
import * as ServerMain from "@zain/agent-server/ServerMain"
import { facts } from "../CodexFacts.ts"
import { appServer } from "./CodexArguments.ts"

/** The command's name, facts and agent. */
export const command = {
  ...facts,
  name: facts.server,
  shares: appServer,
  agent: async () => (await import("./CodexAgent.ts")).live,
}

/**
 * Runs the command.
 *
 * @param name the command's name in help and messages
 * @param args the arguments, without that name
 * @returns the exit code
 */
export const work = (name: string, args: ReadonlyArray<string>) => ServerMain.work({ ...command, name }, args)
