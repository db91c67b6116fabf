/**
 * A session with Claude Code's own MCP server: how it is started, and which of its tools are called.
 */
import type { AgentProfile } from "@zain/sdk-client/AgentProfile"
import * as Failure from "@zain/sdk-client/Failure"
import type { StdioTarget } from "@zain/sdk-client/McpWire"
import * as SessionHost from "@zain/sdk-client/SessionHost"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { serverArguments } from "../ClaudeCodeFacts.ts"
import type { ClaudeCodeNativeOptions } from "../ClaudeCodeOptions.ts"
import * as ClaudeCodeDialect from "./ClaudeCodeDialect.ts"
import * as ReplyHook from "./ReplyHook.ts"

/** Opens it over stdio; another transport is `invalid-config`. */
export const open: AgentProfile<ClaudeCodeNativeOptions>["open"] = Effect.fnUntraced(function* (target, options) {
  if (target.transport !== "stdio") {
    return yield* Effect.fail(Failure.transportNotServed("Claude Code", target.transport))
  }
  const replies = ReplyHook.make(yield* SessionHost.directory)
  const call = ClaudeCodeDialect.call(options)
  return {
    model: options.model,
    target: withSettings(target, options, replies.env),
    call: (prompt, agentId) => {
      // What the hooks have told by now is of turns that are over: one that was cancelled may have spoken after all.
      replies.clear()
      return call(prompt, agentId)
    },
    read: ClaudeCodeDialect.read(replies),
    interrupted: (agentId) => agentId ?? replies.started(),
  }
})

/** An idle Claude Code leaves within milliseconds of the end of its input; one that has answered before stays for ever. */
const shortly = Duration.millis(100)

/** Writes that Claude Code does not ask about, off unless the caller's environment says otherwise. */
const unasked = { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1", CLAUDE_CODE_DISABLE_CRON: "1" }

/**
 * Settings are flags of the program itself, so they stand before `mcp serve`. Every user of the machine can read them: the
 * model, a text of the caller's, goes by the environment.
 */
const withSettings = (
  target: StdioTarget,
  { cwd, model }: ClaudeCodeNativeOptions,
  hookEnv: Readonly<Record<string, string>>,
): StdioTarget => {
  const at = target.args.lastIndexOf(serverArguments[0] as string)
  const env = { ...unasked, ...target.env }
  // Files of the directory are written even while the memory is off: so it is one that cannot be.
  const memory = env.CLAUDE_CODE_DISABLE_AUTO_MEMORY === "1" ? { autoMemoryDirectory: "/dev/null/memory" } : {}
  const settings = JSON.stringify({ ...ReplyHook.settings, ...memory })
  return {
    ...target,
    ...(cwd === undefined ? {} : { cwd }),
    endOfInputGrace: shortly,
    args: at < 0 ? target.args : [...target.args.slice(0, at), "--settings", settings, ...target.args.slice(at)],
    env: { ...env, ...(model === undefined ? {} : { ANTHROPIC_MODEL: model }), ...hookEnv },
  }
}
