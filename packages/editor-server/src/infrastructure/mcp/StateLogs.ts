/**
 * Where the logs of `MCP_DEBUG` are, where an editor has no usual place of its own.
 */
import { isAbsolute, join } from "node:path"
import { homeOf } from "@zain/process/StateFiles"
import type { Environment } from "@zain/tool-server/OptionTable"

/** `$XDG_STATE_HOME/zain/logs`, or the same below `~/.local/state`. */
export const directory = (env: Environment): string => {
  const state = env["XDG_STATE_HOME"]?.trim() ?? ""
  return join(isAbsolute(state) ? state : join(homeOf(env), ".local", "state"), "zain", "logs")
}
