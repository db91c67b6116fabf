/**
 * The directory of Codex's login, configuration and threads.
 */
import { join } from "node:path"
import type { AgentCommand } from "@zain/agent-server/AgentCommand"
import * as StateFiles from "@zain/process/StateFiles"

/** Returns the directory that Codex uses with the given environment. */
export const of = (env: AgentCommand["env"]): string => env["CODEX_HOME"] ?? join(StateFiles.homeOf(env), ".codex")

/** Returns the path of the configuration that Codex reads first. */
export const configurationOf = (env: AgentCommand["env"]): string => join(of(env), "config.toml")
