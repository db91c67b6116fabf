/**
 * Which processes belong to an agent, and how to signal all of them.
 *
 * A process belongs when it is in the agent's process group, or when it carries the agent's mark in its environment:
 * that finds those that left the group. A process that does both, leaves the group and clears its environment, is lost.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** The variable that marks an agent's processes. Its value starts with the host's own part. */
export const markName = "ZAIN_OWNER"

/** A tree by the process that leads its group, and by its mark. A group that has died out has no leader any more. */
export interface ProcessTree {
  pid: number | undefined
  readonly mark: string
}

/** The processes of a tree that are alive. Zombies are dead. */
export const members = ({ mark, pid }: ProcessTree): ReadonlyArray<number> => {
  if (process.platform !== "linux") return pid !== undefined && isGroupAlive(pid) ? [pid] : []
  const found: Array<number> = []
  const marked = `${markName}=${mark}`
  const isMarked = (entry: string) => entry === marked || entry.startsWith(`${marked}.`)
  for (const name of list("/proc")) {
    const candidate = Number(name)
    if (!Number.isInteger(candidate) || candidate === process.pid) continue
    const status = statusOf(candidate)
    if (status === undefined || status.dead) continue
    if (status.group === pid || environmentOf(candidate).some(isMarked)) found.push(candidate)
  }
  return found
}

/** Signals every process of a tree; one that is gone by now is no error. */
export const signal = (tree: ProcessTree, name: "SIGTERM" | "SIGKILL"): void => {
  if (tree.pid !== undefined) signalGroup(tree.pid, name)
  if (process.platform === "linux") for (const pid of members(tree)) kill(pid, name)
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

const isGroupAlive = (pid: number): boolean => kill(process.platform === "win32" ? pid : -pid, 0)

/** The command's name may hold spaces and brackets, so the fields are counted from its last bracket. */
const statusOf = (pid: number): { readonly group: number; readonly dead: boolean } | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return group === undefined ? undefined : { group: Number(group), dead: state === "Z" || state === "X" }
}

const environmentOf = (pid: number): ReadonlyArray<string> => read(`/proc/${pid}/environ`).split("\0")

const list = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}
