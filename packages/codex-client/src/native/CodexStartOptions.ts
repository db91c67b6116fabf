/**
 * What a thread is started with, by the client's names and by those of the tool.
 */
import * as AgentOption from "@zain/sdk-client/AgentOption"
import * as Schema from "effect/Schema"

export const started = {
  model: AgentOption.text("The model, instead of the configured one."),
  cwd: AgentOption.text("The directory to work in. A relative one starts from the server's own, or from its root."),
  sandbox: AgentOption.oneOf(
    ["read-only", "workspace-write", "danger-full-access"],
    "What the agent's commands may write without asking.",
  ),
  approvalPolicy: AgentOption.oneOf(
    ["untrusted", "on-request", "never"],
    "When the agent asks before it runs a command.",
  ),
  baseInstructions: AgentOption.instructions("Instructions instead of Codex's own."),
  developerInstructions: AgentOption.instructions("Instructions beside Codex's own."),
  compactPrompt: AgentOption.instructions("The prompt with which a long conversation is made shorter."),
  config: AgentOption.settings("Laid over Codex's config.toml. A key may name a value inside a table: `a.b`."),
  trustProject: AgentOption.flag(
    "Lets the configuration in the directory's repository count: its MCP servers start without a sandbox, and its rules are obeyed.",
  ),
}

/** What the tool `codex` calls its arguments, of both servers. */
export const names = {
  approvalPolicy: "approval-policy",
  baseInstructions: "base-instructions",
  developerInstructions: "developer-instructions",
  compactPrompt: "compact-prompt",
  trustProject: "trust-project",
} as const

/** What a thread is started with: encoded, the arguments of the agent server's tool `codex` beside the prompt. */
export const CodexStartOptions = Schema.Struct(started).pipe(Schema.encodeKeys(names))
export type CodexStartOptions = typeof CodexStartOptions.Type
