/**
 * The options of a Claude Code thread, and the names of the tool's arguments for them.
 */

import * as McpServerOption from "@zain/process/McpServerOption"
import * as AgentOption from "@zain/sdk-client/AgentOption"
import * as Schema from "effect/Schema"

export const started = {
  /** The model: an alias such as `sonnet`, or a full name. Default: the model of the user's configuration. */
  model: AgentOption.text("The model, by its alias or its full name, instead of the configured one."),
  /**
   * Directory that Claude Code works in. Default: the server's first `--root`; without roots, the directory that the
   * server was started in, for `local()` its `cwd` or this process's working directory. A relative path starts from the
   * default. A directory that does not exist, or lies outside of the roots, is refused.
   */
  cwd: AgentOption.text("The directory to work in. A relative one starts from the server's own, or from its root."),
  /**
   * What Claude Code does without an approval. `default`: reads. `acceptEdits`: also writes files. `plan`: plans only.
   * `dontAsk`: declines by itself what requires an approval. Default: the mode of the user's settings; `default` on a server
   * with roots.
   */
  permissionMode: AgentOption.oneOf(
    ["default", "acceptEdits", "plan", "dontAsk"],
    "When the agent asks before it acts.",
  ),
  /** How much the model thinks before it answers. Default: the effort of the user's configuration. */
  effort: AgentOption.oneOf(["low", "medium", "high", "xhigh", "max"], "How hard the model thinks."),
  /**
   * How many requests to its model Claude Code makes in one turn; then the turn has failed, with `stopReason: "max-turns"`.
   * Default: any number.
   */
  maxTurns: AgentOption.count("How many requests to its model the agent makes in one turn."),
  /**
   * Name of one of the user's own agents (files in `~/.claude/agents`), which answers in place of Claude Code. An
   * unknown name is refused, with a list of the names that exist. Refused by a server that limits its client to some
   * directories (roots). Default: none.
   */
  agent: AgentOption.text("One of the user's own agents, by name."),
  /**
   * Rules for tools that run without an approval, such as `Edit` or `Bash(git status)`, in addition to those of the
   * user's settings. Refused by a server that limits its client to some directories (roots).
   */
  allowedTools: AgentOption.texts('Tools that need no approval, such as "Edit" or "Bash(git *)".'),
  /** Rules for tools that are always refused, such as `WebFetch` or `Bash(curl *)`, in addition to those of the user's settings. */
  disallowedTools: AgentOption.texts('Tools that are refused, such as "WebFetch" or "Bash(curl *)".'),
  /** Replaces Claude Code's own system prompt. */
  baseInstructions: AgentOption.instructions("Instructions instead of Claude Code's own."),
  /** Instructions after Claude Code's own system prompt. */
  developerInstructions: AgentOption.instructions("Instructions beside Claude Code's own."),
  /**
   * `true` lets Claude Code act on slash commands and on `@file` in a prompt. Otherwise both reach the model as text.
   * Refused by a server that limits its client to some directories (roots). Default: `false`.
   */
  promptCommands: AgentOption.flag(
    'Lets Claude Code act on slash commands and on "@file" in a prompt. Otherwise the model receives the prompt as it is.',
  ),
  /**
   * `true` applies the files of `cwd`: settings, hooks, MCP servers, skills, agents and `CLAUDE.md`. Their commands run
   * without an approval. Refused by a server that limits its client to some directories (roots). Default: `false`, only
   * the user's files apply.
   */
  trustProject: AgentOption.flag(
    "Lets the directory's own files configure Claude Code: settings, hooks, MCP servers, skills, agents and CLAUDE.md.",
  ),
  /**
   * `true` starts Claude Code also where it ignores a settings file, with its rules, because the file is invalid, and ignores
   * names in `settings` that it does not know. Refused by a server that limits its client to some directories (roots).
   * Default: `false`, such a file or name fails with `InvalidRequest`, reason `invalid-config`.
   */
  ignoreInvalidSettings: AgentOption.flag(
    "Starts Claude Code also where it ignores a settings file, with its rules, because the file is invalid.",
  ),
  /**
   * Keys of Claude Code's `settings.json` with values for this thread only; they take precedence over the user's. A name
   * that Claude Code does not know there, such as `mcpServers`, and a value that it does not accept fail by their names. Refused by a server that limits its client to some
   * directories (roots).
   */
  settings: AgentOption.settings("Laid over Claude Code's settings.json."),
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

/** The options of a session: those of a thread, and the thread to continue. */
export const continued = {
  ...started,
  /**
   * MCP servers for this session, by their names, beside those of Claude Code's configuration; one of the same name takes
   * precedence. They run without the agent's sandbox, and each use of a tool is an approval. Values of `env` and `headers`
   * may be `Redacted`; they are kept in memory alone, so a session that continues the thread gives the servers again. Refused
   * by a server that limits its client to some directories (roots).
   */
  mcpServers: McpServerOption.ofSession,
  /**
   * Continues the conversation of an earlier session, also after its server has ended. Options beside it that differ from
   * those of the thread apply from the next turn on and stay with the thread; for that, the server starts a new process for
   * it. Instructions that an older Claude Code cannot change fail with `InvalidRequest`, reason `invalid-config`. An unknown
   * thread fails with `SessionClosed`, reason `conversation-lost`.
   */
  threadId: Schema.optionalKey(Schema.NonEmptyString),
} as const

/** Names of the arguments of the agent server's tool `claude-code`. */
const names = {
  /**
   * Argument `permission-mode` of the tools `claude-code` and `claude-code-reply`, for the option `permissionMode`.
   */
  permissionMode: "permission-mode",
  /** Argument `max-turns` of the tools `claude-code` and `claude-code-reply`, for the option `maxTurns`. */
  maxTurns: "max-turns",
  /** Argument `allowed-tools` of the tools `claude-code` and `claude-code-reply`, for the option `allowedTools`. */
  allowedTools: "allowed-tools",
  /**
   * Argument `disallowed-tools` of the tools `claude-code` and `claude-code-reply`, for the option `disallowedTools`.
   */
  disallowedTools: "disallowed-tools",
  /**
   * Argument `base-instructions` of the tools `claude-code` and `claude-code-reply`, for the option `baseInstructions`.
   */
  baseInstructions: "base-instructions",
  /**
   * Argument `developer-instructions` of the tools `claude-code` and `claude-code-reply`, for the option
   * `developerInstructions`.
   */
  developerInstructions: "developer-instructions",
  /**
   * Argument `prompt-commands` of the tools `claude-code` and `claude-code-reply`, for the option `promptCommands`.
   */
  promptCommands: "prompt-commands",
  /** Argument `trust-project` of the tools `claude-code` and `claude-code-reply`, for the option `trustProject`. */
  trustProject: "trust-project",
  /**
   * Argument `ignore-invalid-settings` of the tools `claude-code` and `claude-code-reply`, for the option
   * `ignoreInvalidSettings`.
   */
  ignoreInvalidSettings: "ignore-invalid-settings",
  /** Argument `config` of the tools `claude-code` and `claude-code-reply`, for the option `settings`. */
  settings: "config",
  ...McpServerOption.names,
  ...AgentOption.backgroundNames,
} as const

const { cwd, effort, maxTurns, model, permissionMode } = started

/**
 * Options of one turn of Claude Code behind `zain-claude-code-mcp`: `providerOptions` of a request. They hold for that turn
 * alone, and mean the same as those of a session, except that `cwd` starts from the session's directory and must lie in it, and
 * that `permissionMode` permits no more than the session's, and is not `dontAsk`. An unknown `model` is `InvalidRequest`, `invalid-config`: Claude
 * Code asks for one token of a model whose full name it does not know from its list. `cwd` and `maxTurns` start a new process,
 * which takes about half a second, and the next turn without them another one.
 *
 * @see Claude Code 2.1.332, control requests `set_model`, `set_permission_mode` and `apply_flag_settings`
 */
export const ClaudeCodeTurnOptions: Schema.Struct<
  Pick<typeof started, "cwd" | "effort" | "maxTurns" | "model" | "permissionMode">
> = Schema.Struct({ model, effort, permissionMode, cwd, maxTurns })
export type ClaudeCodeTurnOptions = typeof ClaudeCodeTurnOptions.Type

/** They, with the names of the tool's arguments. */
export const turnArguments = ClaudeCodeTurnOptions.pipe(
  Schema.encodeKeys({ permissionMode: names.permissionMode, maxTurns: names.maxTurns }),
)

/** Options of a thread; encoded, they are the arguments of the agent server's tool `claude-code` beside `prompt`. */
export const ClaudeCodeStartOptions = Schema.Struct(started).pipe(Schema.encodeKeys(names))
export type ClaudeCodeStartOptions = typeof ClaudeCodeStartOptions.Type

/** The name of the tool's argument for an option. */
export const nameOf = (option: keyof ClaudeCodeStartOptions): string => toolNames[option] ?? option

const toolNames: Partial<Record<keyof ClaudeCodeStartOptions, string>> = names
