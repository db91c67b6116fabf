/** Directory of Claude Code's user configuration and transcripts. */
import { join } from "node:path"
import * as StateFiles from "@zain/process/StateFiles"

export const of = (env: Readonly<Record<string, string | undefined>>): string =>
  env["CLAUDE_CONFIG_DIR"] ?? join(StateFiles.homeOf(env), ".claude")
