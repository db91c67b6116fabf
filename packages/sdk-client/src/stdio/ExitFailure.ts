/**
 * What the end of a server's process means for the port.
 */
import type { ConnectionUnavailable } from "@zain/core/McpError"
import type { ProcessEnd } from "@zain/process/OwnedProcess"
import * as Failure from "../Failure.ts"

const ending = ({ exitCode, signal }: ProcessEnd): string =>
  signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`

/** The process ended after the handshake. */
export const inSession = (about: Failure.About, end: ProcessEnd): ConnectionUnavailable =>
  Failure.unavailable(
    "server-exited",
    `${about.server} ${ending(end)}. Open a new session to start it again.${Failure.lastWords(about)}`,
    about,
  )

/** The process ended before the handshake was complete. `wroteGarbage`: it said something, and no MCP. */
export const beforeHandshake = (about: Failure.About, end: ProcessEnd, wroteGarbage: boolean) => {
  const why = notStarted.get(end.exitCode)
  if (why !== undefined) return programMissing(about, end, why)
  if (end.exitCode === 0 || wroteGarbage) {
    return Failure.notAnMcpServer(about, `it ${ending(end)} without speaking MCP`)
  }
  return Failure.unavailable(
    "server-exited",
    `${about.server} ${ending(end)} before the MCP handshake. ` +
      `Check its arguments and its environment.${Failure.lastWords(about)}`,
    about,
  )
}

/** What shells, env(1) and our own servers say by their exit code. */
const notStarted: ReadonlyMap<number | null, string> = new Map([
  [126, "a program may not be executed"],
  [127, "a program is not there"],
])

/**
 * The process was started for another program's sake, and that one could not be.
 *
 * @see POSIX.1-2024, Shell Command Language, 2.8.2 Exit Status for Commands
 */
const programMissing = (about: Failure.About, { exitCode }: ProcessEnd, why: string): ConnectionUnavailable =>
  Failure.unavailable(
    "spawn-failed",
    ownSentence(about) ??
      `${about.server} could not be started: its exit code, ${exitCode}, says that ${why}. ` +
        `Check the command, its arguments, and PATH.${Failure.lastWords(about)}`,
    about,
  )

/** The last line in which one of our own servers says a whole sentence for itself, after its name. */
const ownSentence = ({ diagnostics }: Failure.About): string | undefined =>
  [...(diagnostics?.stderrTail ?? "").matchAll(/^zain-[a-z-]+-mcp: (\p{Lu}.*)$/gmu)].at(-1)?.[1]
