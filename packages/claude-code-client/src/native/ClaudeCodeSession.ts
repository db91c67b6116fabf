/**
 * A session with Claude Code's own MCP server: starts it, and calls its tools.
 */
import * as JsonText from "@zain/process/JsonText"
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

/** Opens a session over stdio. Another transport fails with `InvalidRequest`, reason `invalid-config`. */
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
      // Replies that arrived before are of earlier turns: a cancelled one may have replied later.
      replies.clear()
      return call(prompt, agentId)
    },
    read: ClaudeCodeDialect.read(replies),
    interrupted: (agentId) => agentId ?? replies.started(),
  }
})

/** A Claude Code without a turn so far exits within milliseconds after the end of its input; any other never does. */
const shortly = Duration.millis(100)

/** Turns off writes without an approval, unless the caller's environment turns them on. */
const unasked = { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1", CLAUDE_CODE_DISABLE_CRON: "1" }

/**
 * Settings are flags of the program itself, so they precede `mcp serve`. Every user of the machine can read arguments, so the
 * model, which is the caller's text, is set in the environment.
 */
const withSettings = (
  target: StdioTarget,
  { cwd, model }: ClaudeCodeNativeOptions,
  hookEnv: Readonly<Record<string, string>>,
): StdioTarget => {
  const at = target.args.lastIndexOf(serverArguments[0] as string)
  const env = { ...unasked, ...target.env }
  // Claude Code writes files of the memory's directory even while the memory is off, so the directory is one that cannot exist.
  const memory = env.CLAUDE_CODE_DISABLE_AUTO_MEMORY === "1" ? { autoMemoryDirectory: "/dev/null/memory" } : {}
  const settings = JsonText.write({ ...ReplyHook.settings, ...memory })
  return {
    ...target,
    ...(cwd === undefined ? {} : { cwd }),
    endOfInputGrace: shortly,
    args: at < 0 ? target.args : [...target.args.slice(0, at), "--settings", settings, ...target.args.slice(at)],
    env: { ...env, ...(model === undefined ? {} : { ANTHROPIC_MODEL: model }), ...hookEnv },
  }
}
