/**
 * A session with Codex's own MCP server: checks the version, and calls its tools.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CodexNativeOptions } from "../CodexOptions.ts"
import * as CodexDialect from "./CodexDialect.ts"
import * as CodexVersion from "./CodexVersion.ts"

/** An idle Codex exits within milliseconds after the end of its input; during a turn, only after the turn. */
const shortly = Duration.millis(250)

/** Opens sessions of one adapter, which reads the version of a program once. */
export const make = (): AgentProfile<CodexNativeOptions>["open"] => {
  const checkVersion = CodexVersion.makeCheck()
  return (target, options) => {
    const dialect = { model: options.model, call: CodexDialect.call(options), read: CodexDialect.read }
    return target.transport === "stdio"
      ? Effect.as(checkVersion(target), { ...dialect, target: { ...target, endOfInputGrace: shortly } })
      : Effect.succeed({ ...dialect, target })
  }
}
