/**
 * What the settings of every thread say. Claude Code writes, plans later turns and moves elsewhere in ways that no mode of
 * it asks about; all of them are off until the caller's options name them.
 *
 * @see Claude Code 2.1.329: measured
 */
import { resolve } from "node:path"
import { type JsonObject, recordOf, textsOf } from "@zain/agent-server/JsonMember"
import type { ClaudeCodeStartOptions } from "../ClaudeCodeOptions.ts"

/** Tools that plan later turns, of this session and of others. */
const planners = ["CronCreate", "CronDelete", "CronList", "ScheduleWakeup"]

/**
 * @param options what the thread is started with. A rule that they allow by its own words is left out
 * @param configDirectory where Claude Code keeps the user's configuration
 * @returns what they do not set themselves
 */
export const make = (options: ClaudeCodeStartOptions, configDirectory: string): JsonObject => {
  const config: JsonObject = options.settings ?? {}
  const allowed = new Set([...(options.allowedTools ?? []), ...textsOf(recordOf(config, "permissions"), "allow")])
  const unnamed = (rules: ReadonlyArray<string>) => rules.filter((rule) => !allowed.has(rule))
  const isPlanning = planners.some((tool) => allowed.has(tool))
  return {
    ...missing(config, {
      // A plan would let a check on Anthropic's servers decide instead of a question, and read any file.
      useAutoModeDuringPlan: false,
      // Any session of the user's could begin a turn in this one.
      crossSessionInbound: "refuse",
      ...(config["autoMemoryEnabled"] === true ? {} : withoutMemory),
    }),
    env: missing(recordOf(config, "env"), {
      // A command runs where the thread works, as its question says, whatever `cd` came before.
      CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
      // A repository's own `.claude/scheduled_tasks.json` would begin turns, too.
      ...(isPlanning ? {} : { CLAUDE_CODE_DISABLE_CRON: "1" }),
    }),
    permissions: {
      deny: unnamed([
        ...planners,
        "EnterWorktree",
        "Agent(isolation:worktree)",
        ...(options.permissionMode === "dontAsk" ? ["EnterPlanMode"] : []),
        "Edit(//**/.claude/launch.json)",
        "Edit(//**/.claude/agent-memory/**)",
        "Edit(//**/.claude/agent-memory-local/**)",
        `Edit(/${asPattern(resolve(configDirectory))}/agent-memory/**)`,
      ]),
      // It can begin a turn in another session of the user's.
      ask: unnamed(["SendMessage"]),
    },
  }
}

/** Files of the directory are written unasked even while the memory is off: so it is one that cannot be. */
const withoutMemory = { autoMemoryEnabled: false, autoMemoryDirectory: "/dev/null/memory" }

const missing = (given: JsonObject, all: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([key]) => given[key] === undefined))

/** A path as a rule's pattern, in which some characters have a meaning of their own. */
const asPattern = (path: string): string => path.replace(/[^\p{L}\p{N}/._ -]/gu, "?")
