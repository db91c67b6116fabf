/**
 * Which agent stands behind a session.
 */
import * as Schema from "effect/Schema"

/**
 * A provider's name: lower-case letters, digits and dashes. Codex and Claude Code are first-party; a third party picks
 * its own name.
 *
 * @see seed, requirements 4.1 and 4.2: every response says who answered.
 */
export const McpProvider = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]*$/))
export type McpProvider = typeof McpProvider.Type

/** OpenAI Codex. */
export const codex: McpProvider = "codex"

/** Anthropic Claude Code. */
export const claudeCode: McpProvider = "claude-code"

/**
 * The directories of a project that configure the first-party agents. An approval rule with `within` that approves never
 * matches a path in them.
 */
export const configurationDirectories: ReadonlyArray<string> = [".codex", ".claude"]
