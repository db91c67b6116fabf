/**
 * Options of Claude Code: of the agent server, and of Claude Code's own MCP server.
 */
import * as Schema from "effect/Schema"

import { continued, started } from "./native/ClaudeCodeStartOptions.ts"

export { ClaudeCodeStartOptions, ClaudeCodeTurnOptions } from "./native/ClaudeCodeStartOptions.ts"

/**
 * Options of a session with Claude Code behind `zain-claude-code-mcp`, this package's MCP server for it (profile
 * `agent-server`, the default): for every session in `ClaudeCodeMcpClientAdapter.make`, for one session in
 * `ClaudeCodeTransportFactory.local` and `http`. All are optional.
 *
 * @see Claude Code 2.1.332, `claude --help`
 */
export const ClaudeCodeOptions: Schema.Struct<typeof continued> = Schema.Struct(continued)
export type ClaudeCodeOptions = typeof ClaudeCodeOptions.Type

/**
 * Options of a session with Claude Code's own MCP server (profile `native`). All are optional.
 *
 * @see Claude Code 2.1.332, arguments of the tool `Agent`
 */
export const ClaudeCodeNativeOptions = Schema.Struct({
  /** The model: an alias such as `sonnet`, or a full name. Default: the model of the user's configuration. */
  model: started.model,
  /** Directory that Claude Code works in. Default: the directory that the connection starts the process in. */
  cwd: started.cwd,
  /**
   * Name of the Claude Code subagent that answers: a built-in one, or one that the user has defined. Default:
   * `general-purpose`.
   */
  subagentType: Schema.optionalKey(Schema.NonEmptyString),
  /** How much the model thinks before it answers. Default: the effort of the user's configuration. */
  effort: started.effort,
  /** `worktree` makes the agent work in a git worktree of its own. Default: it works in `cwd`. */
  isolation: Schema.optionalKey(Schema.Literal("worktree")),
})
export type ClaudeCodeNativeOptions = typeof ClaudeCodeNativeOptions.Type
