/**
 * What of the options of a thread stands on the command line of Claude Code, and what may lead out of a directory.
 */
import { type ClaudeCodeStartOptions, nameOf } from "../native/ClaudeCodeStartOptions.ts"

/**
 * What of the options leads out of any directory: `settings` name permissions, directories and programs of its own, an
 * allowed tool acts anywhere unasked, and so does an agent whose file has a hook that allows it, and the hooks of a trusted
 * directory. Where prompts have commands, "@file" reads any file.
 */
export const leadsOut = (options: ClaudeCodeStartOptions): ReadonlyArray<string> =>
  (["settings", "allowedTools", "agent", "promptCommands", "trustProject"] as const).flatMap((name) =>
    options[name] === undefined || options[name] === false ? [] : [`\`${nameOf(name)}\``],
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
  "baseInstructions",
  "developerInstructions",
  "agent",
  "trustProject",
  "settings",
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
  `--setting-sources=${options.trustProject === true ? "user,project,local" : "user"}`,
  `${isKnown ? "--resume" : "--session-id"}=${threadId}`,
  ...(isInstructedAnew ? [newInstructions] : []),
  ...option("permission-mode", options.permissionMode),
  ...option("effort", options.effort),
]

const option = (name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`--${name}=${value}`]
