/**
 * Finds and signals all processes of an agent.
 *
 * A process belongs to the agent if it is in the agent's process group, or if its environment contains the agent's
 * mark: the mark finds processes that left the group. A process with an empty environment belongs if it is in a group
 * in which a marked process has been seen. A process that leads a group of its own and clears its environment is not
 * found.
 */
import { spawnSync } from "node:child_process"
import type * as ProcessTable from "./ProcessTable.ts"

/** The processes of one agent, on Linux found by group and mark, elsewhere by group. */
export interface ProcessTree {
  /** The process that leads the agent's group; `undefined` once the group is empty, as its id may be reused. */
  pid: number | undefined
  /** The `mark` of the processes in their table, or the beginning of it. */
  readonly mark: string
  /** The process groups in which a marked process has been seen. `members` updates it. */
  readonly groups: Set<number>
  /** When its first process has started at the earliest, in milliseconds of `performance.now()`. */
  readonly since: number
}

/**
 * Makes a tree with empty `groups`; processes are searched for only when `members` or `signal` is called.
 *
 * @param pid the process that leads the agent's group; `undefined` to find processes by mark only
 * @param mark the value of `ZAIN_OWNER`, or of the variables that the table is read with; values that continue it after a `.`
 *   match too
 * @param since when its first process has started at the earliest, in milliseconds of `performance.now()`; unknown by default
 */
export const make = (pid: number | undefined, mark: string, since: number = Number.NEGATIVE_INFINITY): ProcessTree => ({
  pid,
  mark,
  groups: new Set(),
  since,
})

/**
 * Returns the ids of a tree's living processes. On systems other than Linux that is the leader, while its group exists.
 *
 * @param tree its `groups` are updated
 * @param table the processes to search
 */
export const members = (
  { groups, mark, pid }: ProcessTree,
  table: ProcessTable.ProcessTable,
): ReadonlyArray<number> => {
  if (process.platform !== "linux") return pid !== undefined && isGroupAlive(pid) ? [pid] : []
  // The id of an empty group may be reused.
  const there = new Set(table.map(({ group }) => group))
  for (const group of groups) if (!there.has(group)) groups.delete(group)
  const isMarked = (own = "") => own === mark || own.startsWith(`${mark}.`)
  for (const one of table) if (isMarked(one.mark)) groups.add(one.group)
  const isOf = (one: ProcessTable.Entry) =>
    one.group === pid || isMarked(one.mark) || (one.isBare && groups.has(one.group))
  return table.filter(isOf).map((one) => one.pid)
}

/**
 * Signals every process of a tree. Processes that have exited meanwhile are ignored.
 *
 * @param tree the processes to signal; on Linux its `groups` are updated, as by `members`
 * @param name the signal. Windows ends the processes by force with either
 * @param table the processes to search
 */
export const signal = (tree: ProcessTree, name: "SIGTERM" | "SIGKILL", table: ProcessTable.ProcessTable): void => {
  if (tree.pid !== undefined) signalGroup(tree.pid, name)
  if (process.platform === "linux") for (const pid of members(tree, table)) kill(pid, name)
}

/**
 * Signals a process group, without processes that have left it.
 *
 * @param pid the process that leads the group
 * @param name the signal. Windows ends the processes by force with either (`taskkill /T /F`)
 */
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

/**
 * Whether a process group has any process, zombies included; on Windows whether its leader exists.
 *
 * @param pid the process that leads the group
 */
export const isGroupAlive = (pid: number): boolean => kill(process.platform === "win32" ? pid : -pid, 0)
