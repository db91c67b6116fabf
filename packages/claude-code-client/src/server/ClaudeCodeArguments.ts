/**
 * The command line of a thread's process, and the options that lead out of a root.
 */
import * as HandedServers from "@zain/agent-server/HandedServers"
import { streaming } from "../native/ClaudeCodeStartCheck.ts"
import { type ClaudeCodeStartOptions, nameOf } from "../native/ClaudeCodeStartOptions.ts"

/**
 * The options that lead out of a root. `settings` can name permissions, directories and programs. Allowed tools act anywhere
 * without an approval; so do hooks of an agent's file and of a trusted directory. With `promptCommands`, `@file` reads any file.
 */
export const leadsOut = (options: ClaudeCodeStartOptions): ReadonlyArray<string> => [
  ...(
    ["settings", "allowedTools", "agent", "promptCommands", "trustProject", "ignoreInvalidSettings"] as const
  ).flatMap((name) => (options[name] === undefined || options[name] === false ? [] : [`\`${nameOf(name)}\``])),
  ...(HandedServers.given(options.mcpServers).length === 0 ? [] : [`\`${nameOf("mcpServers")}\``]),
]

/** Options that determine Claude Code's instructions, which it stores with the first request of a thread. */
export const instructing = [
  "baseInstructions",
  "developerInstructions",
  "agent",
  "trustProject",
  "settings",
] as const satisfies ReadonlyArray<keyof ClaudeCodeStartOptions>

/** Makes Claude Code use the instructions of its process instead of the stored ones. */
export const newInstructions = "--system-prompt-snapshot=off"

/**
 * The arguments of a thread's process. Every user of the machine can read them, so they contain no text of a caller;
 * `ClaudeCodeSetup` passes the rest. All options are passed each time, because Claude Code does not store most of them.
 *
 * @param isKnown whether Claude Code has stored the thread
 * @param isInstructedAnew whether its instructions have changed since
 */
export const toArguments = (
  threadId: string,
  options: ClaudeCodeStartOptions,
  isKnown: boolean,
  isInstructedAnew: boolean,
): ReadonlyArray<string> => [
  ...streaming,
  // A directory's settings may have hooks, which run without an approval.
  `--setting-sources=${options.trustProject === true ? "user,project,local" : "user"}`,
  `${isKnown ? "--resume" : "--session-id"}=${threadId}`,
  ...(isInstructedAnew ? [newInstructions] : []),
  ...option("permission-mode", options.permissionMode),
  ...option("effort", options.effort),
  ...option("max-turns", options.maxTurns?.toString()),
]

const option = (name: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`--${name}=${value}`]
