/**
 * The standard input and output of a fake's process, one JSON value a line. It depends on nothing, so that the process can
 * import it.
 */
import { appendFileSync } from "node:fs"
import { birthOf, type LogEntry } from "./FakePeerLog.ts"

/** Puts a message on the standard output. */
export const send = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

/**
 * Reads the standard input until it ends.
 *
 * @param receive takes every line's value; `undefined` for a line that is no JSON
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

/** Ends the process as it was told to. */
export const crash = (): never => {
  process.stderr.write("fatal: told to exit\n")
  process.exit(42)
}

/**
 * Begins the log of this process, and ends the process on SIGTERM with a status.
 *
 * @returns notes what the process saw
 */
export const begin = (log: string | undefined, terminated: number | undefined): ((entry: LogEntry) => void) => {
  const note = (entry: LogEntry) => {
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(entry)}\n`)
  }
  note({ what: "started", pid: process.pid, born: birthOf("self") })
  if (terminated !== undefined) process.on("SIGTERM", () => process.exit(terminated))
  return note
}
