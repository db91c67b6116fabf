/**
 * Processes that commands of Claude Code left behind, as `nohup … &` and `setsid` do. They are found on Linux.
 *
 * @see Claude Code 2.1.332: measured. `AI_AGENT` ends with `_agent` in the environment of the model's commands, and with
 *   `_harness` in that of hooks and MCP servers. It ends the group of no command that ended by itself
 */
import { readFileSync } from "node:fs"
import type { BackgroundWork } from "@zain/core/McpBackground"
import * as ProcessTable from "@zain/process/ProcessTable"
import * as Result from "effect/Result"
import { titleOf } from "./BackgroundTasks.ts"

const variables = ["AI_AGENT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID"]

/** One piece of work for each process group of a thread's commands that is no descendant of Claude Code any more. */
export const of = (threadId: string): ReadonlyArray<BackgroundWork> => {
  const table = ProcessTable.read(variables)
  const parents = new Map(table.map(({ parent, pid }) => [pid, parent]))
  const isBelow = (pid: number, top: number) => {
    let at: number | undefined = pid
    // Ids may be reused while the table is read, so that parents are a circle.
    for (let step = 0; at !== undefined && at !== top && step < table.length; step++) at = parents.get(at)
    return at === top
  }
  const groups = new Map<number, number>()
  for (const { group, mark = "", pid } of table) {
    const [agent = "", thread, top] = mark.split(" ")
    const isCommand = /^claude-code.*_agent$/.test(agent) && thread === threadId
    if (isCommand && !groups.has(group) && !isBelow(pid, Number(top))) groups.set(group, pid)
  }
  return [...groups].map(([group, pid]) => ({
    workId: `process-${group}`,
    kind: "command",
    title: titleOf(lineOf(pid)),
  }))
}

const lineOf = (pid: number): string => {
  const line = Result.try(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim())
  return Result.getOrElse(line, () => "") || `process ${pid}`
}
