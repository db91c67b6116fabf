/**
 * What a thread is started with, by the client's names and by those of the tool.
 */
import * as AgentOption from "@zain/sdk-client/AgentOption"
import * as Schema from "effect/Schema"

export const started = {
  model: AgentOption.text("The model, by its alias or its full name, instead of the configured one."),
  cwd: AgentOption.text("The directory to work in. A relative one starts from the server's own, or from its root."),
  permissionMode: AgentOption.oneOf(
    ["default", "acceptEdits", "plan", "dontAsk"],
    "When the agent asks before it acts.",
  ),
  effort: AgentOption.oneOf(["low", "medium", "high", "xhigh", "max"], "How hard the model thinks."),
  agent: AgentOption.text("One of the user's own agents, by name."),
  allowedTools: AgentOption.texts('Tools that need no approval, such as "Edit" or "Bash(git *)".'),
  disallowedTools: AgentOption.texts('Tools that are refused, such as "WebFetch" or "Bash(curl *)".'),
  baseInstructions: AgentOption.instructions("Instructions instead of Claude Code's own."),
  developerInstructions: AgentOption.instructions("Instructions beside Claude Code's own."),
  promptCommands: AgentOption.flag(
    'Lets Claude Code act on slash commands and on "@file" in a prompt. Otherwise the model receives the prompt as it is.',
  ),
  trustProject: AgentOption.flag(
    "Lets the directory's own files configure Claude Code: settings, hooks, MCP servers, skills, agents and CLAUDE.md.",
  ),
  settings: AgentOption.settings("Laid over Claude Code's settings.json."),
}

/** What the agent server's tool `claude-code` calls its arguments. */
const names = {
  permissionMode: "permission-mode",
  allowedTools: "allowed-tools",
  disallowedTools: "disallowed-tools",
  baseInstructions: "base-instructions",
  developerInstructions: "developer-instructions",
  promptCommands: "prompt-commands",
  trustProject: "trust-project",
  settings: "config",
} as const

/** What a thread is started with: encoded, the arguments of the tool beside the prompt. */
export const ClaudeCodeStartOptions = Schema.Struct(started).pipe(Schema.encodeKeys(names))
export type ClaudeCodeStartOptions = typeof ClaudeCodeStartOptions.Type

/** An option as callers of the tool know it. */
export const nameOf = (option: keyof ClaudeCodeStartOptions): string => toolNames[option] ?? option

const toolNames: Partial<Record<keyof ClaudeCodeStartOptions, string>> = names
