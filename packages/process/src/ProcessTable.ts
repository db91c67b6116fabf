/**
 * The living processes of this machine, as Linux tells them in `/proc`. Elsewhere the table is empty.
 */
import { readdirSync, readFileSync } from "node:fs"

/** The variable that marks an agent's processes. Its value starts with the host's own part. */
export const markName = "ZAIN_OWNER"

/**
 * One process. `group`: its process group. `mark`: the value of `markName` in its environment. `isBare`: its environment
 * is empty or cannot be read, as for a moment that of every process that starts a program.
 */
export interface Entry {
  readonly pid: number
  readonly group: number
  readonly mark: string | undefined
  readonly isBare: boolean
}

export type ProcessTable = ReadonlyArray<Entry>

/** Everybody but this process. Zombies are dead. */
export const read = (): ProcessTable => {
  if (process.platform !== "linux") return []
  const found: Array<Entry> = []
  for (const name of list("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const status = statusOf(pid)
    if (status === undefined || status.dead) continue
    const environment = textOf(`/proc/${pid}/environ`)
    found.push({ pid, group: status.group, mark: markIn(environment), isBare: environment === "" })
  }
  return found
}

let recent: ProcessTable | undefined

/** What was read in this turn of the event loop: many sessions that end together read it once. */
export const thisTurn = (): ProcessTable => {
  if (recent === undefined) {
    recent = read()
    setImmediate(() => {
      recent = undefined
    }).unref()
  }
  return recent
}

/** The command's name may hold spaces and brackets, so the fields are counted from its last bracket. */
const statusOf = (pid: number): { readonly group: number; readonly dead: boolean } | undefined => {
  const stat = textOf(`/proc/${pid}/stat`)
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return group === undefined ? undefined : { group: Number(group), dead: state === "Z" || state === "X" }
}

const prefix = `${markName}=`

const markIn = (environment: string): string | undefined => {
  if (!environment.includes(prefix)) return undefined
  return environment
    .split("\0")
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length)
}

const list = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}
