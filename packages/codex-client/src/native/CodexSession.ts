/**
 * A session with Codex's own MCP server: which version may start, and how its tools are called.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CodexNativeOptions } from "../CodexOptions.ts"
import * as CodexDialect from "./CodexDialect.ts"
import * as CodexVersion from "./CodexVersion.ts"

/** An idle Codex leaves within milliseconds of the end of its input; one in the middle of a turn stays until its end. */
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
