/**
 * What only Claude Code knows.
 */
import * as Schema from "effect/Schema"

/**
 * - `model`: the model's name, or an alias such as `sonnet`
 * - `cwd`: the directory Claude Code works in; the host's own by default
 * - `subagentType`: which of its agents answers; `general-purpose` by default
 * - `effort`: how hard it thinks
 * - `isolation`: `worktree` lets it work in a git worktree of its own
 *
 * @see Claude Code 2.1.329, arguments of the tool `Agent`
 */
export const ClaudeCodeOptions = Schema.Struct({
  model: Schema.optionalKey(Schema.NonEmptyString),
  cwd: Schema.optionalKey(Schema.NonEmptyString),
  subagentType: Schema.optionalKey(Schema.NonEmptyString),
  effort: Schema.optionalKey(Schema.Literals(["low", "medium", "high", "xhigh", "max"])),
  isolation: Schema.optionalKey(Schema.Literal("worktree")),
})
export type ClaudeCodeOptions = typeof ClaudeCodeOptions.Type
