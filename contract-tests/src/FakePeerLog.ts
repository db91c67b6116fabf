/**
 * The log of a fake agent's process: a file with one JSON object a line. This module imports nothing of the workspace at
 * run time, so that the process can import it.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Sighting } from "./PeerObservation.ts"

/** The environment variable that holds the path of the log; if unset, the process logs nothing. */
export const logVariable = "ZAIN_FAKE_PEER_LOG"

/** The environment variable that makes the server never answer, whatever its value. */
export const silentVariable = "ZAIN_FAKE_PEER_SILENT"

/**
 * This process's `NODE_COMPILE_CACHE` as variables for the environment of a fake's program, which starts in a third of
 * the time with it. Empty if this process does not have it.
 */
export const compileCache = (): Readonly<Record<string, string>> => {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

/**
 * Returns the arguments with which Node runs a program beside this module, from source and as built.
 *
 * @param name the file's name without its ending
 */
export const programOf = (name: string): ReadonlyArray<string> => {
  const isSource = import.meta.url.endsWith(".ts")
  const file = fileURLToPath(new URL(`./${name}.${isSource ? "ts" : "js"}`, import.meta.url))
  return isSource ? ["--conditions=zain-source", file] : [file]
}

/** The entry that a process writes when it starts. */
export interface LoggedProcess {
  /** Tells this entry from a `Sighting`. */
  readonly what: "started"
  /** The id of the process, which the system can give to a later process; `born` tells them apart. */
  readonly pid: number
  /**
   * When the process started, as `birthOf` returns it: a later process with the same `pid` has another. Empty on
   * systems other than Linux.
   */
  readonly born: string
}

/** A line of the log: a prompt or a cancel that arrived, or a process that started. */
export type LogEntry = Sighting | LoggedProcess

/**
 * Makes a reader of a log. Lines that are not JSON are left out.
 *
 * @param file the path of the log, which may not exist yet
 * @returns a function that returns the entries, parsed, whose lines were completed since its last call
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

/**
 * Returns when a process started, as a text that differs between processes with the same id.
 *
 * @param pid the id of the process, or `self` for this process
 * @returns field 22 of Linux's `/proc/PID/stat`, in clock ticks since boot; empty once the process has ended, or on another system
 */
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

/**
 * Returns whether a process still runs. A zombie, which has ended and was not yet reaped, does not.
 *
 * @param logged the entry that the process wrote when it started, as `reader` returns it
 */
export const isAlive = ({ born, pid }: LoggedProcess): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return birthOf(pid) === born
}
