/**
 * The standard input and output of a fake's process, one JSON value a line. This module imports nothing of the workspace, so
 * that the process can import it.
 */
import { appendFileSync } from "node:fs"
import { birthOf, type LogEntry } from "./FakePeerLog.ts"

/** Writes a message to standard output. */
export const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

/**
 * Reads standard input until it ends.
 *
 * @param receive receives the value of every line; `undefined` for a line that is no JSON
 */
export const read = (receive: (message: unknown) => void): void => {
  let rest = ""
  process.stdin.setEncoding("utf8")
  process.stdin.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) receive(parse(line))
  })
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Ends the process for the directive `Exit`. */
export const crash = (): never => {
  process.stderr.write("fatal: exit demanded\n")
  process.exit(42)
}

/**
 * Starts the log of this process, and makes SIGTERM end the process with a status.
 *
 * @returns writes an entry to the log
 */
export const begin = (log: string | undefined, terminated: number | undefined): ((entry: LogEntry) => void) => {
  const note = (entry: LogEntry) => {
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`)
  }
  note({ what: "started", pid: process.pid, born: birthOf("self") })
  if (terminated !== undefined) process.on("SIGTERM", () => process.exit(terminated))
  return note
}
