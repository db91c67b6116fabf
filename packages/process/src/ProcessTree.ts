/**
 * Which processes belong to an agent, and how to signal all of them.
 *
 * A process belongs when it is in the agent's process group, or when it carries the agent's mark in its environment:
 * that finds those that left the group. One without an environment belongs when it is in a group in which a process with
 * the mark has been seen. A process that leads a group of its own and clears its environment is lost.
 */
import { spawnSync } from "node:child_process"
import * as ProcessTable from "./ProcessTable.ts"

/**
 * A tree by the process that leads its group, and by its mark. A group that has died out has no leader any more. `groups`:
 * the groups in which a process with the mark has been seen.
 */
export interface ProcessTree {
  pid: number | undefined
  readonly mark: string
  readonly groups: Set<number>
}

/** A tree of which no process has been seen yet. */
export const make = (pid: number | undefined, mark: string): ProcessTree => ({ pid, mark, groups: new Set() })

/** The processes of a tree that are alive. */
export const members = (
  { groups, mark, pid }: ProcessTree,
  table: ProcessTable.ProcessTable = ProcessTable.thisTurn(),
): ReadonlyArray<number> => {
  if (process.platform !== "linux") return pid !== undefined && isGroupAlive(pid) ? [pid] : []
  // The number of a group that has died out may be another's later.
  const there = new Set(table.map(({ group }) => group))
  for (const group of groups) if (!there.has(group)) groups.delete(group)
  const isMarked = (own = "") => own === mark || own.startsWith(`${mark}.`)
  for (const one of table) if (isMarked(one.mark)) groups.add(one.group)
  const isOf = (one: ProcessTable.Entry) =>
    one.group === pid || isMarked(one.mark) || (one.isBare && groups.has(one.group))
  return table.filter(isOf).map((one) => one.pid)
}

/** Signals every process of a tree; one that is gone by now is no error. */
export const signal = (tree: ProcessTree, name: "SIGTERM" | "SIGKILL", table?: ProcessTable.ProcessTable): void => {
  if (tree.pid !== undefined) signalGroup(tree.pid, name)
  if (process.platform === "linux") for (const pid of members(tree, table)) kill(pid, name)
}

/** Signals a process group by its leader, and looks for nobody else. */
export const signalGroup = (pid: number, name: "SIGTERM" | "SIGKILL"): void => {
  if (process.platform !== "win32") kill(-pid, name)
  else spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true })
}

const kill = (pid: number, name: "SIGTERM" | "SIGKILL" | 0): boolean => {
  try {
    return process.kill(pid, name)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Whether anybody of a group is there, zombies included. */
export const isGroupAlive = (pid: number): boolean => kill(process.platform === "win32" ? pid : -pid, 0)
