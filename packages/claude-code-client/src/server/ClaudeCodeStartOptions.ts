/**
 * What a thread of Claude Code is started with, and what of it stands on the command line.
 */

import * as StartOption from "@zain/agent-server/StartOption"
import * as Schema from "effect/Schema"

export const ClaudeCodeStartOptions = Schema.Struct({
  model: StartOption.text("The model, by its alias or its full name, instead of the configured one."),
  cwd: StartOption.text("The directory to work in. A relative one starts from the server's own, or from its root."),
  "permission-mode": StartOption.oneOf(
    ["default", "acceptEdits", "plan", "dontAsk"],
    "When the agent asks before it acts.",
  ),
  effort: StartOption.oneOf(["low", "medium", "high", "xhigh", "max"], "How hard the model thinks."),
  agent: StartOption.text("One of the user's own agents, by name."),
  "allowed-tools": StartOption.texts('Tools that need no approval, such as "Edit" or "Bash(git *)".'),
  "disallowed-tools": StartOption.texts('Tools that are refused, such as "WebFetch" or "Bash(curl *)".'),
  "base-instructions": StartOption.text("Instructions instead of Claude Code's own."),
  "developer-instructions": StartOption.text("Instructions beside Claude Code's own."),
  "prompt-commands": StartOption.flag(
    'Lets Claude Code act on slash commands and on "@file" in a prompt. Otherwise the model receives the prompt as it is.',
  ),
  "trust-project": StartOption.flag(
    "Lets the directory's own files configure Claude Code: settings, hooks, MCP servers, skills, agents and CLAUDE.md.",
  ),
  config: StartOption.settings("Laid over Claude Code's settings.json."),
})
export type ClaudeCodeStartOptions = typeof ClaudeCodeStartOptions.Type

/**
 * What of the options leads out of any directory: `config` names permissions, directories and programs of its own, an
 * allowed tool acts anywhere unasked, and so does an agent whose file has a hook that allows it, and the hooks of a trusted
 * directory. Where prompts have commands, "@file" reads any file.
 */
export const leadsOut = (options: ClaudeCodeStartOptions): ReadonlyArray<string> =>
  (["config", "allowed-tools", "agent", "prompt-commands", "trust-project"] as const).flatMap((name) =>
    options[name] === undefined || options[name] === false ? [] : [`\`${name}\``],
  )

/** What every thread's process is told. */
const always: ReadonlyArray<string> = [
  "-p",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
]

/** Options that Claude Code's instructions depend on, which it keeps as they were at the first request of a thread. */
export const instructing = [
  "base-instructions",
  "developer-instructions",
  "agent",
  "trust-project",
  "config",
] as const satisfies ReadonlyArray<keyof ClaudeCodeStartOptions>

/** Makes Claude Code take the instructions of its process instead of those that it has kept. */
export const newInstructions = "--system-prompt-snapshot=off"

/**
 * The arguments for the process of a thread: every user of the machine can read them, so they hold no text of a caller's.
 * `ClaudeCodeSetup` says the rest. Claude Code forgets most options, so all of them are given each time.
 *
 * @param isKnown whether Claude Code has the thread already
 * @param isInstructedAnew whether its instructions have changed since
 */
export const toArguments = (
  threadId: string,
  options: ClaudeCodeStartOptions,
  isKnown: boolean,
  isInstructedAnew: boolean,
): ReadonlyArray<string> => [
  ...always,
  // A directory's own settings may hold hooks, which run without a question.
  `--setting-sources=${options["trust-project"] === true ? "user,project,local" : "user"}`,
  `${isKnown ? "--resume" : "--session-id"}=${threadId}`,
  ...(isInstructedAnew ? [newInstructions] : []),
  ...option("permission-mode", options["permission-mode"]),
  ...option("effort", options.effort),
]

const option = (name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`--${name}=${value}`]
