/**
 * Lists the living processes of this machine, from `/proc` of Linux. On other systems the table is empty.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs"
import * as Effect from "effect/Effect"

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
 * the processes of the machine, and blocks: `scan` does not.
 *
 * @param variables the variables whose values are the `mark`; `ZAIN_OWNER` by default
 */
export const read = (variables: ReadonlyArray<string> = usual): ProcessTable =>
  [...entries(variables, always)].filter(isOne)

/**
 * Reads the table as `read` does, without blocking for more than about a millisecond. The reading begins after the call; calls
 * before it begins share it, so that sessions that close together read the table once.
 *
 * @param since when the searched processes have started at the earliest, in milliseconds of `performance.now()`: others are
 *   left out if an earlier reading has seen them before; by default none is
 */
export const scan = (since: number = always): Effect.Effect<ProcessTable> =>
  Effect.promise(() => {
    earliest = Math.min(earliest, since)
    next ??= last.then(() => {
      const from = earliest
      next = undefined
      earliest = Number.POSITIVE_INFINITY
      return inSlices(from)
    })
    last = next
    return next
  })

const always = Number.NEGATIVE_INFINITY

const usual = [markName]

/** The reading under way, or the last one, and the one that begins after it. */
let last: Promise<unknown> = Promise.resolve()
let next: Promise<ProcessTable> | undefined
let earliest = Number.POSITIVE_INFINITY

/** How long `scan` may block, in milliseconds. */
const slice = 1

const inSlices = async (since: number): Promise<ProcessTable> => {
  const found: Array<Entry> = []
  let began = performance.now()
  for (const one of entries(usual, since)) {
    if (isOne(one)) found.push(one)
    if (performance.now() - began < slice) continue
    await new Promise(setImmediate)
    began = performance.now()
  }
  return found
}

const isOne = (one: Entry | undefined): one is Entry => one !== undefined

/** How often the processes are listed at most, until a list has none that began since the list before. */
const maxLists = 8

/**
 * One after the other, each read when it is asked for; `undefined` for what is left out, and for what is no process any more.
 */
function* entries(variables: ReadonlyArray<string>, since: number): Generator<Entry | undefined> {
  if (process.platform !== "linux") return
  const key = variables.join(" ")
  const before = known.get(key)
  const now = new Map<number, Known>()
  const entryOf = (pid: number): Entry | undefined => {
    const node = nodeOf(pid)
    if (node === undefined) return undefined
    const last = before?.get(pid)
    const kept = last?.node === node ? last : undefined
    if (kept !== undefined && kept.first < since) {
      now.set(pid, kept)
      return undefined
    }
    const status = statusOf(pid)
    if (status === undefined || status.isDead) return undefined
    const { group, image, parent } = status
    const isSame = kept !== undefined && !kept.isBare && image !== undefined && kept.image === image
    const { isBare, mark } = isSame ? kept : environmentOf(pid, variables)
    now.set(pid, { node, first: kept?.first ?? performance.now(), image, isBare, mark })
    return { pid, parent, group, mark, isBare }
  }
  const seen = new Set([process.pid])
  for (let lists = 0, size = 0; lists < maxLists && seen.size > size; lists++) {
    size = seen.size
    for (const name of list("/proc")) {
      const pid = Number(name)
      if (!Number.isInteger(pid) || seen.has(pid)) continue
      seen.add(pid)
      yield entryOf(pid)
    }
  }
  known.set(key, now)
}

/** What was read of a process. Its environment stays until it executes another program. */
interface Known extends Pick<Entry, "isBare" | "mark"> {
  readonly node: number
  /** When a reading has seen it first, in milliseconds of `performance.now()`. */
  readonly first: number
  readonly image: string | undefined
}

/** By the variables, and by the process. */
const known = new Map<string, ReadonlyMap<number, Known>>()

/** The number of the directory of a process: another process with the same id has another. */
const nodeOf = (pid: number): number | undefined => {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino
  } catch {
    return undefined
  }
}

const environmentOf = (pid: number, variables: ReadonlyArray<string>) => {
  const environment = textOf(`/proc/${pid}/environ`)
  return { mark: markIn(environment, variables), isBare: environment === "" }
}

/**
 * The command's name may contain spaces and brackets, so fields are counted from the last bracket. `image` changes when the
 * process executes a program: it has the start of the process, and where its stack and its environment begin and end. It is
 * `undefined` where the system does not tell.
 *
 * @see proc_pid_stat(5), fields 22, 28, 50 and 51
 */
const statusOf = (pid: number) => {
  const stat = textOf(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group] = fields
  if (group === undefined) return undefined
  const place = [fields[25], fields[47], fields[48]]
  const image = place.includes("0") || place.includes(undefined) ? undefined : [fields[19], ...place].join(" ")
  return { parent: Number(parent), group: Number(group), isDead: state === "Z" || state === "X", image }
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

/** Longer than most files of a process. `readFileSync` allocates 64 KiB for each of them, because their length is unknown. */
const buffer = Buffer.allocUnsafeSlow(8_192)

const textOf = (path: string): string => {
  try {
    const file = openSync(path, "r")
    try {
      return restOf(file, 0) ?? readFileSync(path, "latin1")
    } finally {
      closeSync(file)
    }
  } catch {
    return ""
  }
}

/** The text with the first `length` bytes that are read already, or undefined if the buffer is too short. */
const restOf = (file: number, length: number): string | undefined => {
  if (length === buffer.length) return undefined
  const more = readSync(file, buffer, length, buffer.length - length, null)
  return more === 0 ? buffer.toString("latin1", 0, length) : restOf(file, length + more)
}
