/**
 * Where the logs of `MCP_DEBUG` are, where an editor has no usual place of its own.
 */

import type { Environment } from "@zain/command/OptionTable"
import { directoryOf } from "@zain/process/StateFiles"

/** `$XDG_STATE_HOME/zain/logs`, or the same below `~/.local/state`. */
export const directory = (env: Environment): string => directoryOf(env, "logs")
