/** Codex's own directory, with its configuration and its login. */
import { join } from "node:path"
import * as StateFiles from "@zain/process/StateFiles"

export const of = (env: Readonly<Record<string, string | undefined>>): string =>
  env["CODEX_HOME"] ?? join(StateFiles.homeOf(env), ".codex")
