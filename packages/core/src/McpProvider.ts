/**
 * The name of the agent behind a session.
 */
import * as Schema from "effect/Schema"

/**
 * The name of an agent, such as `"codex"` or `"claude-code"`: lower-case letters, digits and dashes. An adapter of a
 * third party chooses its own.
 *
 * @see seed, requirements 4.1 and 4.2: every response names its provider
 */
export const McpProvider = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]*$/))
export type McpProvider = typeof McpProvider.Type

/** The provider of `@zain/codex-client`: OpenAI Codex. */
export const codex: McpProvider = "codex"

/** The provider of `@zain/claude-code-client`: Anthropic Claude Code. */
export const claudeCode: McpProvider = "claude-code"

/**
 * The names of the directories with which a project configures Codex and Claude Code: `.codex` and `.claude`. A rule
 * that approves `within` a directory matches no path in them, unless its `within` lies in one; `McpApprovalRule.within`
 * lists what else is excluded.
 */
export const configurationDirectories: ReadonlyArray<string> = [".codex", ".claude"]

/**
 * The names of files and directories that configure programs of a project, `configurationDirectories` among them: what is
 * written there can make these programs run commands.
 */
export const setupNames: ReadonlyArray<string> = [
  ...configurationDirectories,
  ...[".git", ".agents", ".mcp.json", ".husky", ".githooks", ".vscode", ".zain"],
]
