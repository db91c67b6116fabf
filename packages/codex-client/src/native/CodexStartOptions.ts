/**
 * The options of a Codex thread, and the names of the tool's arguments for them.
 */

import * as McpServerOption from "@zain/process/McpServerOption"
import * as AgentOption from "@zain/sdk-client/AgentOption"
import * as Schema from "effect/Schema"

export const started = {
  /** The model that answers, by its provider's name for it. Default: the model of Codex's configuration. */
  model: AgentOption.text("The model, instead of the configured one."),
  /**
   * How much the model thinks before it answers, as far as the model has that level. Default: the effort of Codex's
   * configuration.
   */
  effort: AgentOption.oneOf(
    ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"],
    "How hard the model thinks.",
  ),
  /**
   * Directory that Codex works in. Default: the server's first `--root`; without roots, the directory that the server
   * was started in, for `local()` its `cwd` or this process's working directory. A relative path starts from the
   * default. A directory that does not exist, or lies outside of the roots, is refused.
   */
  cwd: AgentOption.text("The directory to work in. A relative one starts from the server's own, or from its root."),
  /**
   * Sandbox of the commands that run without an approval. `read-only`: no writes, no network. `workspace-write`: writes
   * in `cwd` and in temporary directories. `danger-full-access`: no sandbox; refused by a server that limits its client
   * to some directories (roots). Default: the sandbox of the user's configuration; without one, `workspace-write` in a
   * directory that the user trusts, else `read-only`.
   */
  sandbox: AgentOption.oneOf(
    ["read-only", "workspace-write", "danger-full-access"],
    "What the agent's commands may write without asking.",
  ),
  /**
   * When Codex requests an approval. `untrusted`: before every command that is not known to only read. `on-request`: before
   * an action that its sandbox does not allow. `never`: such an action fails without a request. Default: the policy of the
   * user's configuration; without one, `on-request`, and `untrusted` in a directory that the user marked as untrusted.
   */
  approvalPolicy: AgentOption.oneOf(
    ["untrusted", "on-request", "never"],
    "When the agent asks before it runs a command.",
  ),
  /** Replaces Codex's own system instructions. */
  baseInstructions: AgentOption.instructions("Instructions instead of Codex's own."),
  /**
   * Instructions in addition to Codex's own. They cannot change after the thread has started: other ones beside a `threadId`
   * fail with `InvalidRequest`, reason `invalid-config`, before a prompt is sent.
   */
  developerInstructions: AgentOption.instructions("Instructions beside Codex's own."),
  /** Prompt with which Codex summarizes a conversation that has become too long for its model. Default: Codex's own. */
  compactPrompt: AgentOption.instructions("The prompt with which a long conversation is made shorter."),
  /**
   * Keys of Codex's `config.toml` with values for this thread only; they take precedence over the file. A key may name
   * a value inside a table: `"sandbox_workspace_write.network_access"`. Refused by a server that limits its client to
   * some directories (roots).
   */
  config: AgentOption.settings("Laid over Codex's config.toml. A key may name a value inside a table: `a.b`."),
  /**
   * `true` applies the configuration (`.codex`) of the repository in `cwd`: its MCP servers start without a sandbox,
   * and its rules may run commands without an approval. Refused by a server that limits its client to some directories
   * (roots). Default: `false`.
   */
  trustProject: AgentOption.flag(
    "Lets the configuration in the directory's repository count: its MCP servers start without a sandbox, and its rules are obeyed.",
  ),
  /**
   * MCP servers for this thread, by their names, beside those of the agent's configuration; one of the same name takes
   * precedence. They run without the agent's sandbox, and each use of a tool is an approval. Values of `env` and `headers`
   * may be `Redacted`; they are kept in memory alone, so a session that continues the thread gives the servers again. Refused
   * by a server that limits its client to some directories (roots).
   */
  mcpServers: McpServerOption.ofThread,
  /**
   * Further directories that the agent works in as in `cwd`: absolute paths of existing directories, inside of the server's
   * roots if it has any. Stays with the thread. Default: none.
   */
  directories: McpServerOption.directories,
  /**
   * What becomes of sub-agents and commands that still run after the agent's last message. `wait`: `execute` waits for them.
   * `off`: the agent starts without sub-agents in the background. `keep`: they go on, listed in `pending` of the response.
   * Stays with the thread. Default: `wait`.
   */
  background: AgentOption.background.background,
  /**
   * With `background: "wait"`, how long a command may still run after the agent's last message, such as `"2 minutes"`, or
   * milliseconds; then it is ended with its processes, and listed in `ended` of the response. Default: 60 seconds.
   */
  backgroundGrace: AgentOption.background.backgroundGrace,
} as const

const {
  approvalPolicy: _policy,
  background: _,
  backgroundGrace: _grace,
  directories: _directories,
  effort: _effort,
  mcpServers: _servers,
  trustProject: _trust,
  ...ofOwnServer
} = started

/** The options that Codex's own MCP server has too. Its approval policy has other values. */
export const native = ofOwnServer

/** The options of a session: those of a thread, and the thread to continue. */
export const continued = {
  ...started,
  /**
   * MCP servers for this session, by their names, beside those of Codex's configuration; one of the same name takes
   * precedence. They run without the agent's sandbox, and each use of a tool is an approval. Values of `env` and `headers`
   * may be `Redacted`; they are kept in memory alone, so a session that continues the thread gives the servers again. Refused
   * by a server that limits its client to some directories (roots).
   */
  mcpServers: McpServerOption.ofSession,
  /**
   * Continues the conversation of an earlier session, also after its server has ended. Options beside it that differ from
   * those of the thread apply from the next turn on and stay with the thread; for that, Codex reloads the thread. They fail
   * while background work of the thread goes on (`background: "keep"`). An unknown thread fails with `SessionClosed`, reason `conversation-lost`.
   */
  threadId: Schema.optionalKey(Schema.NonEmptyString),
} as const

/** Names of the arguments of the tool `codex`; `codex mcp-server` has the same, except for `trust-project`. */
export const names = {
  /**
   * Argument `approval-policy` of the agent server's tools `codex` and `codex-reply`, for the option `approvalPolicy`;
   * the tool `codex` of `codex mcp-server` has it too.
   */
  approvalPolicy: "approval-policy",
  /**
   * Argument `base-instructions` of the agent server's tools `codex` and `codex-reply`, for the option
   * `baseInstructions`; the tool `codex` of `codex mcp-server` has it too.
   */
  baseInstructions: "base-instructions",
  /**
   * Argument `developer-instructions` of the agent server's tools `codex` and `codex-reply`, for the option
   * `developerInstructions`; the tool `codex` of `codex mcp-server` has it too.
   */
  developerInstructions: "developer-instructions",
  /**
   * Argument `compact-prompt` of the agent server's tools `codex` and `codex-reply`, for the option `compactPrompt`;
   * the tool `codex` of `codex mcp-server` has it too.
   */
  compactPrompt: "compact-prompt",
  /**
   * Argument `trust-project` of the agent server's tools `codex` and `codex-reply`, for the option `trustProject`;
   * `codex mcp-server` has none.
   */
  trustProject: "trust-project",
  ...McpServerOption.names,
  ...AgentOption.backgroundNames,
} as const

/** The name of the tool's argument for an option. */
export const nameOf = (option: string): string => toolNames[option] ?? option

const toolNames: Readonly<Record<string, string>> = names

const { cwd, effort, model, sandbox } = started

/**
 * Options of one turn of Codex behind `zain-codex-mcp`: `providerOptions` of a request. They hold for that turn alone, and mean
 * the same as those of a session, except that `cwd` starts from the session's directory and must lie in it, and that `sandbox`
 * permits no more than the session's.
 *
 * @see Codex 0.171.0 app-server, `TurnStartParams`
 */
export const CodexTurnOptions: Schema.Struct<Pick<typeof started, "cwd" | "effort" | "model" | "sandbox">> =
  Schema.Struct({ model, effort, sandbox, cwd })
export type CodexTurnOptions = typeof CodexTurnOptions.Type

/**
 * Schema of the options with which a Codex thread (a conversation) starts. Encoded, with names such as
 * `approval-policy`, they are the arguments beside `prompt` of the tool `codex` of `zain-codex-mcp`, this package's MCP
 * server.
 */
export const CodexStartOptions = Schema.Struct(started).pipe(Schema.encodeKeys(names))
export type CodexStartOptions = typeof CodexStartOptions.Type
