/**
 * What only Claude Code knows.
 */
import * as AgentServerProfile from "@zain/sdk-client/AgentServerProfile"
import * as Schema from "effect/Schema"

const Text = Schema.optionalKey(Schema.NonEmptyString)
const Names = Schema.optionalKey(Schema.Array(Schema.NonEmptyString))
const Effort = Schema.optionalKey(Schema.Literals(["low", "medium", "high", "xhigh", "max"]))

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
  model: Text,
  cwd: Text,
  permissionMode: Schema.optionalKey(Schema.Literals(["default", "acceptEdits", "plan", "dontAsk"])),
  effort: Effort,
  agent: Text,
  allowedTools: Names,
  disallowedTools: Names,
  baseInstructions: Schema.optionalKey(Schema.String),
  developerInstructions: Schema.optionalKey(Schema.String),
  promptCommands: Schema.optionalKey(Schema.Boolean),
  trustProject: Schema.optionalKey(Schema.Boolean),
  settings: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  threadId: Text,
})
export type ClaudeCodeOptions = typeof ClaudeCodeOptions.Type

/** The options as arguments of the agent server's tool `claude-code`, which has names of its own for them. */
export const toServerArguments = ({ settings, ...rest }: Omit<ClaudeCodeOptions, "threadId">) => ({
  ...AgentServerProfile.toolNames(rest),
  ...(settings === undefined ? {} : { config: settings }),
})

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
  model: Text,
  cwd: Text,
  subagentType: Text,
  effort: Effort,
  isolation: Schema.optionalKey(Schema.Literal("worktree")),
})
export type ClaudeCodeNativeOptions = typeof ClaudeCodeNativeOptions.Type
