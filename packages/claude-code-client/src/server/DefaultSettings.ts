/**
 * Settings of every thread. They turn off what Claude Code does without an approval in every permission mode: writing its
 * memory, scheduling turns, and working elsewhere. The caller's options turn each on.
 *
 * @see Claude Code 2.1.329: measured
 */
import { resolve } from "node:path"
import { type JsonObject, recordOf, textsOf } from "@zain/agent-server/JsonMember"
import type { ClaudeCodeStartOptions } from "../ClaudeCodeOptions.ts"

/** What runs in the background even if `CLAUDE_CODE_DISABLE_BACKGROUND_TASKS` is set. */
const backgroundTools = ["Monitor", "Workflow", "Agent(isolation:remote)"]

/** Tools that schedule later turns, of this session and of others. */
const planners = ["CronCreate", "CronDelete", "CronList", "ScheduleWakeup"]

/**
 * Makes the settings.
 *
 * @param options the thread's options. A rule that they allow literally is omitted
 * @param configDirectory directory of the user's configuration
 * @param toolServer the server with the tools of the client's own, which decides about each call itself
 * @returns the settings that the options do not set themselves
 */
export const make = (options: ClaudeCodeStartOptions, configDirectory: string, toolServer?: string): JsonObject => {
  const config: JsonObject = options.settings ?? {}
  const allowed = new Set([...(options.allowedTools ?? []), ...textsOf(recordOf(config, "permissions"), "allow")])
  const unnamed = (rules: ReadonlyArray<string>) => rules.filter((rule) => !allowed.has(rule))
  const hasBackground = options.background !== "off"
  const isPlanning = planners.some((tool) => allowed.has(tool))
  return {
    ...missing(config, {
      // In a plan, a check on Anthropic's servers would replace approvals, and any file could be read.
      useAutoModeDuringPlan: false,
      // Other sessions of the user could start a turn in this one.
      crossSessionInbound: "refuse",
      ...(config["autoMemoryEnabled"] === true ? {} : withoutMemory),
    }),
    env: {
      ...missing(recordOf(config, "env"), {
        // A command runs in the thread's directory, which its approval names, even after a `cd`.
        CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
        // A repository's `.claude/scheduled_tasks.json` would start turns too.
        ...(isPlanning ? {} : { CLAUDE_CODE_DISABLE_CRON: "1" }),
      }),
      ...(hasBackground ? {} : { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" }),
    },
    permissions: {
      ...(toolServer === undefined ? {} : { allow: [`mcp__${toolServer}`] }),
      deny: [
        ...(hasBackground ? [] : backgroundTools),
        ...unnamed([
          ...planners,
          "EnterWorktree",
          "Agent(isolation:worktree)",
          ...(options.permissionMode === "dontAsk" ? ["EnterPlanMode"] : []),
          "Edit(//**/.claude/launch.json)",
          "Edit(//**/.claude/agent-memory/**)",
          "Edit(//**/.claude/agent-memory-local/**)",
          `Edit(/${asPattern(resolve(configDirectory))}/agent-memory/**)`,
        ]),
      ],
      // It can start a turn in another session of the user.
      ask: unnamed(["SendMessage"]),
    },
  }
}

/** Claude Code writes files of the memory's directory even while the memory is off, so the directory is one that cannot exist. */
const withoutMemory = { autoMemoryEnabled: false, autoMemoryDirectory: "/dev/null/memory" }

const missing = (given: JsonObject, all: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([key]) => given[key] === undefined))

/** A path as a rule's pattern, with special characters replaced by `?`. */
const asPattern = (path: string): string => path.replace(/[^\p{L}\p{N}/._ -]/gu, "?")
