/**
 * Which processes come from this one, seen from outside the libraries that start them.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

interface Process {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

const fromProc = (): ReadonlyArray<Process> =>
  readdirSync("/proc").flatMap((entry) => {
    try {
      const stat = readFileSync(`/proc/${Number(entry)}/stat`, "utf8")
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"))
      return state === "Z" ? [] : [{ pid: Number(entry), parent: Number(parent), name }]
    } catch {
      return []
    }
  })

const fromPs = (): ReadonlyArray<Process> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,comm="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, name] = /^\s*(\d+)\s+(\d+)\s+[^Z\s]\S*\s+(.+)$/.exec(line) ?? []
      return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), name: name ?? "" }]
    })
    .filter(({ name }) => name !== "ps")

const all = process.platform === "linux" ? fromProc : fromPs

/** The children of this process, and theirs, that are alive. */
export const descendants = (): ReadonlyArray<Process> => {
  const found: Array<Process> = []
  const processes = all()
  const look = (parent: number) => {
    for (const child of processes) {
      if (child.parent !== parent) continue
      found.push(child)
      look(child.pid)
    }
  }
  look(process.pid)
  return found
}

/** Those of them that are alive still, also when their parents are gone. */
export const alive = (among: ReadonlyArray<Process>): ReadonlyArray<Process> => {
  const now = new Map(all().map((process) => [process.pid, process.name]))
  return among.filter(({ name, pid }) => now.get(pid) === name)
}
