/**
 * The processes of an agent, found from outside: by the private home that only they have in their environment, and by
 * their connections. Linux only.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** A process that is alive, as `ps` would say it. */
export interface OwnProcess {
  readonly pid: number
  readonly command: string
}

/** The processes that are alive and have this text in their environment, this one excepted. */
export const withEnvironment = (text: string): ReadonlyArray<OwnProcess> =>
  list("/proc").flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid) || pid === process.pid || !read(`/proc/${pid}/environ`).includes(text)) return []
    if (/\) [ZX] /.test(read(`/proc/${pid}/stat`))) return []
    return [{ pid, command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }]
  })

/** Kills those of them that hold a connection to a port of the loopback interface: the agent that is asking right now. */
export const crash = (text: string, port: number): void => {
  const sockets = socketsTo(port)
  for (const { pid } of withEnvironment(text)) {
    if (!list(`/proc/${pid}/fd`).some((fd) => sockets.has(link(`/proc/${pid}/fd/${fd}`)))) continue
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // It was faster.
    }
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
