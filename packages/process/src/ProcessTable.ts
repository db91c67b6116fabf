/**
 * Lists the living processes of this machine, from `/proc` of Linux. On other systems the table is empty.
 */
import { readdirSync, readFileSync } from "node:fs"

/**
 * The environment variable that marks an agent's processes. Its value begins with `mark` of the `HostGuard` that they
 * are started with.
 */
export const markName = "ZAIN_OWNER"

/** One living process of this machine, as `/proc` describes it. */
export interface Entry {
  /** The id of the process; never that of this program. */
  readonly pid: number
  /** The id of the process that started it, or of the one that it was passed to when that ended. */
  readonly parent: number
  /** The id of its process group, which is the `pid` of the process that leads the group. */
  readonly group: number
  /** The values of the variables in its environment, with spaces between; `undefined` unless it has all of them. */
  readonly mark: string | undefined
  /** Whether its environment is empty or cannot be read: every process is in that state for a moment during `exec`. */
  readonly isBare: boolean
}

/** The processes that were alive at one moment. */
export type ProcessTable = ReadonlyArray<Entry>

/**
 * Reads the table: every process except this one and zombies; empty on systems other than Linux. Takes time linear in
 * the processes of the machine.
 *
 * @param variables the variables whose values are the `mark`; `ZAIN_OWNER` by default
 */
export const read = (variables: ReadonlyArray<string> = [markName]): ProcessTable => {
  if (process.platform !== "linux") return []
  const found: Array<Entry> = []
  for (const name of list("/proc")) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    const status = statusOf(pid)
    if (status === undefined || status.dead) continue
    const environment = textOf(`/proc/${pid}/environ`)
    found.push({
      pid,
      parent: status.parent,
      group: status.group,
      mark: markIn(environment, variables),
      isBare: environment === "",
    })
  }
  return found
}

let recent: ProcessTable | undefined

/** Returns the table read in this turn of the event loop, so that sessions that end together read it once. */
export const thisTurn = (): ProcessTable => {
  if (recent === undefined) {
    recent = read()
    setImmediate(() => {
      recent = undefined
    }).unref()
  }
  return recent
}

/** The command's name may contain spaces and brackets, so fields are counted from the last bracket. */
const statusOf = (pid: number) => {
  const stat = textOf(`/proc/${pid}/stat`)
  const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return group === undefined
    ? undefined
    : { parent: Number(parent), group: Number(group), dead: state === "Z" || state === "X" }
}

const markIn = (environment: string, variables: ReadonlyArray<string>): string | undefined => {
  if (!variables.every((name) => environment.includes(`${name}=`))) return undefined
  const entries = environment.split("\0")
  const values = variables.map((name) => entries.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1))
  return values.includes(undefined) ? undefined : values.join(" ")
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
