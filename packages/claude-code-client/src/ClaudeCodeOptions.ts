/**
 * What only Claude Code knows.
 */
import * as Schema from "effect/Schema"

import { started } from "./native/ClaudeCodeStartOptions.ts"

export { ClaudeCodeStartOptions } from "./native/ClaudeCodeStartOptions.ts"

/**
 * - `model`: the model's name, or an alias such as `sonnet`
 * - `cwd`: the directory Claude Code works in; the host's own by default
 * - `permissionMode`: what it does without asking. `default`: reads; `acceptEdits`: also writes files; `plan`: plans
 *   only; `dontAsk`: declines by itself what it would ask for
 * - `effort`: how hard it thinks
 * - `agent`: which of its agents answers
 * - `allowedTools`, `disallowedTools`: what it uses without asking, such as `Bash(git status)`, and what not at all
 * - `baseInstructions`, `developerInstructions`: texts in place of, or beside, its own
 * - `promptCommands`: whether it acts on slash commands and on `@file` in a prompt; a prompt is data by default
 * - `trustProject`: whether the files of `cwd` configure it: settings, hooks, MCP servers, skills, agents, `CLAUDE.md`. Their
 *   commands run without a question. Only the user's count by default
 * - `settings`: keys of its `settings.json`, for this session
 * - `threadId`: goes on with the conversation of an earlier session, also of one on another server. Options beside it count
 *   from now on
 *
 * @see Claude Code 2.1.329, `claude --help`
 */
export const ClaudeCodeOptions = Schema.Struct({
  ...started,
  threadId: Schema.optionalKey(Schema.NonEmptyString),
})
export type ClaudeCodeOptions = typeof ClaudeCodeOptions.Type

/**
 * The same for Claude Code's own MCP server.
 *
 * - `model`, `cwd`, `effort`: as above
 * - `subagentType`: which of its agents answers; `general-purpose` by default
 * - `isolation`: `worktree` lets it work in a git worktree of its own
 *
 * @see Claude Code 2.1.329, arguments of the tool `Agent`
 */
export const ClaudeCodeNativeOptions = Schema.Struct({
  model: started.model,
  cwd: started.cwd,
  subagentType: Schema.optionalKey(Schema.NonEmptyString),
  effort: started.effort,
  isolation: Schema.optionalKey(Schema.Literal("worktree")),
})
export type ClaudeCodeNativeOptions = typeof ClaudeCodeNativeOptions.Type
