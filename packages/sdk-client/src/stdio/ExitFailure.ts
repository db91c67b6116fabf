/**
 * Translates the exit of a server's process into an error of the port.
 */
import type { ConnectionUnavailable } from "@zain/core/McpError"
import type { ProcessEnd } from "@zain/process/OwnedProcess"
import * as Failure from "../Failure.ts"

const ending = ({ exitCode, signal }: ProcessEnd): string =>
  signal === null ? `exited with code ${exitCode}` : `was terminated by ${signal}`

/** The process ended after the handshake. */
export const inSession = (about: Failure.About, end: ProcessEnd): ConnectionUnavailable =>
  Failure.unavailable(
    "server-exited",
    `${about.server} ${ending(end)}. Open a new session to start it again.${Failure.lastWords(about)}`,
    about,
  )

/** The process ended before the handshake was complete. `wroteGarbage`: it wrote to standard output, but no MCP message. */
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

/** The exit codes of shells, env(1) and Zain's servers for a program that could not be started. */
const notStarted: ReadonlyMap<number | null, string> = new Map([
  [126, "a program is not executable"],
  [127, "a program was not found"],
])

/**
 * The process ran, but the program that it was to start did not.
 *
 * @see POSIX.1-2024, Shell Command Language, 2.8.2 Exit Status for Commands
 */
const programMissing = (about: Failure.About, { exitCode }: ProcessEnd, why: string): ConnectionUnavailable =>
  Failure.unavailable(
    "spawn-failed",
    ownSentence(about) ??
      `${about.server} could not be started: exit code ${exitCode} means that ${why}. ` +
        `Check the command, its arguments, and PATH.${Failure.lastWords(about)}`,
    about,
  )

/** The last line of one of Zain's servers that is a whole sentence after the server's name. */
const ownSentence = ({ diagnostics }: Failure.About): string | undefined =>
  [...(diagnostics?.stderrTail ?? "").matchAll(/^zain-[a-z-]+-mcp: (\p{Lu}.*)$/gmu)].at(-1)?.[1]
