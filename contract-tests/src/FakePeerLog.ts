/**
 * What a fake agent's process notes in a file, one JSON object a line. It depends on nothing, so that the process can
 * import it.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Sighting } from "./PeerObservation.ts"

/** Names the file. Without it nothing is noted. */
export const logVariable = "ZAIN_FAKE_PEER_LOG"

/** When it is set, the server never answers. */
export const silentVariable = "ZAIN_FAKE_PEER_SILENT"

/** The compile cache of this process, for the programs of fakes: each then starts in a third of the time. */
export const compileCache = (): Readonly<Record<string, string>> => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/** The arguments by which Node runs a program beside this module, from source and as built. */
export const programOf = (name: string): ReadonlyArray<string> => {
  const isSource = import.meta.url.endsWith(".ts")
  const file = fileURLToPath(new URL(`./${name}.${isSource ? "ts" : "js"}`, import.meta.url))
  return isSource ? ["--conditions=zain-source", file] : [file]
}

/** A process that writes to the log. `born` tells it from a later one with the same number, where the system says it. */
export interface LoggedProcess {
  readonly what: "started"
  readonly pid: number
  readonly born: string
}

export type LogEntry = Sighting | LoggedProcess

/**
 * A reader of a log from its beginning.
 *
 * @returns gives the whole lines that are new since the last call
 */
export const reader = (file: string): (() => ReadonlyArray<LogEntry>) => {
  const buffer = Buffer.alloc(64 * 1024)
  let offset = 0
  let rest = Buffer.alloc(0)
  return () => {
    if (!existsSync(file)) return []
    const pieces = [rest]
    const descriptor = openSync(file, "r")
    try {
      for (;;) {
        const count = readSync(descriptor, buffer, 0, buffer.length, offset)
        if (count === 0) break
        offset += count
        pieces.push(Buffer.from(buffer.subarray(0, count)))
      }
    } finally {
      closeSync(descriptor)
    }
    const all = Buffer.concat(pieces)
    const end = all.lastIndexOf("\n") + 1
    rest = all.subarray(end)
    return all.subarray(0, end).toString("utf8").split("\n").flatMap(parse)
  }
}

const parse = (line: string): ReadonlyArray<LogEntry> => {
  try {
    return [JSON.parse(line) as LogEntry]
  } catch {
    return []
  }
}

/** When a process was born, in whatever unit the system has; empty once it has ended, or where it is unknown. */
export const birthOf = (pid: number | "self"): string => {
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /su, "")
      .split(" ")
    return state === "Z" ? "" : (fields[18] ?? "")
  } catch {
    return ""
  }
}

/** Whether a process still runs. One that has ended and was not yet waited for does not. */
export const isAlive = ({ born, pid }: LoggedProcess): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return birthOf(pid) === born
}
