/**
 * The processes of an agent, found from outside: by the private home that only they have in their environment, and by
 * their connections. Linux only.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** A living process, as `ps` shows it. */
export interface OwnProcess {
  readonly pid: number
  readonly command: string
}

/** Milliseconds. It ends only what hangs. */
const safetyTimeoutMillis = 60_000

/**
 * The programs that a guard runs for two seconds while it ends the agents of a killed host. The guard's environment names no
 * home, but its shell adds the working directory for these programs.
 */
const guard = ["sleep 0.2", "grep -lsF -- ", "sed s|^/proc/||", "rm -rf -- "]

/** The processes among these that are no guard; guards end without help. */
export const exceptGuards = (processes: ReadonlyArray<OwnProcess>): ReadonlyArray<OwnProcess> =>
  processes.filter(({ command }) => !guard.some((program) => command.startsWith(program)))

/** The processes that are alive and have this text in their environment, this one excepted. */
export const withEnvironment = (text: string): ReadonlyArray<OwnProcess> =>
  list("/proc").flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid || !read(`/proc/${pid}/environ`).includes(text)) return []
    if (isOver(pid)) return []
    return [{ pid, command: commandOf(pid) }]
  })

const isOver = (pid: number) => /^$|\) [ZX] /.test(read(`/proc/${pid}/stat`))

/** The processes that this one has started, and those that they have. */
export const descendants = (pid: number): ReadonlyArray<OwnProcess> => {
  const all = list("/proc").map((entry) => ({ pid: Number(entry), parent: parentOf(entry) }))
  const below = (parent: number): ReadonlyArray<number> =>
    all.flatMap((one) => (one.parent === parent ? [one.pid, ...below(one.pid)] : []))
  return below(pid).map((one) => ({ pid: one, command: commandOf(one) }))
}

/** Those of the processes that have not ended. */
export const alive = (processes: ReadonlyArray<OwnProcess>): ReadonlyArray<OwnProcess> =>
  processes.filter(({ command, pid }) => !isOver(pid) && commandOf(pid) === command)

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim()

const parentOf = (entry: string): number => Number(/\) . (\d+)/.exec(read(`/proc/${entry}/stat`))?.[1] ?? 0)

/** Kills those of them that hold a connection to a port of the loopback interface: the agent that waits for its model. */
export const crash = (text: string, port: number): void => {
  const sockets = socketsTo(port)
  for (const { pid } of withEnvironment(text)) {
    if (!list(`/proc/${pid}/fd`).some((fd) => sockets.has(link(`/proc/${pid}/fd/${fd}`)))) continue
    kill({ pid })
  }
}

/** Kills a process, unless it has ended. */
export const kill = ({ pid }: Pick<OwnProcess, "pid">): void => void attempt(() => process.kill(pid, "SIGKILL"), false)

/**
 * Kills processes, and blocks this one until the system has closed all that they held, so that no code here can meet a port
 * that is about to close.
 */
export const killAtOnce = (processes: ReadonlyArray<Pick<OwnProcess, "pid">>): void => {
  processes.forEach(kill)
  const end = performance.now() + safetyTimeoutMillis
  while (processes.some(({ pid }) => !isOver(pid)) && performance.now() < end) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
}

/** The sockets whose other end is this port, as `/proc` names them. */
const socketsTo = (port: number): ReadonlySet<string> => {
  const peer = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return new Set(
    read("/proc/net/tcp")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[2]?.endsWith(peer))
      .map((columns) => `socket:[${columns[9]}]`),
  )
}

const attempt = <A>(look: () => A, otherwise: A): A => {
  try {
    return look()
  } catch {
    return otherwise
  }
}

const read = (path: string) => attempt(() => readFileSync(path, "latin1"), "")
const link = (path: string) => attempt(() => readlinkSync(path), "")
const list = (path: string): ReadonlyArray<string> => attempt(() => readdirSync(path), [])
