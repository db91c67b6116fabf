/**
 * Why a process could not be started.
 */
import * as Data from "effect/Data"

/**
 * - `message`: whole sentences with the remedy; arguments and environment are never in it
 * - `code`: the system's code, such as `ENOENT`
 */
export class ProcessError extends Data.TaggedError("ProcessError")<{
  readonly message: string
  readonly code: string
}> {}

const unknownCause = "unknown cause"

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? unknownCause

/**
 * A command could not be started.
 *
 * @param command what the message calls the program
 * @param cause Node's error, of which only the code is used: it holds the arguments
 * @param cwd the directory to start it in
 */
export const spawnFailed = (command: string, cause: unknown, cwd: string | undefined): ProcessError => {
  const code = codeOf(cause)
  return new ProcessError({ message: whyNotStarted(command, code, cwd), code })
}

/** The code for a working directory that is missing: Node's own is that of a missing command. */
export const noWorkingDirectory = { code: "EWORKDIR" }

const whyNotStarted = (command: string, code: string, cwd: string | undefined): string => {
  switch (code) {
    case "ENOENT":
      return `The command ${command} was not found. Install it, put it on PATH, or name it by its whole path.`
    case "EACCES":
      return `The command ${command} may not be executed. Check its permissions.`
    case "ENOTDIR":
    case noWorkingDirectory.code:
      return `The directory ${cwd} to start ${command} in does not exist. Create it, or name another in \`cwd\`.`
    default:
      return (
        `The command ${command} could not be started (${code}). ` +
        "Look the code up in errno(3), and check the command and its arguments."
      )
  }
}

/** A private directory could not be made. */
export const directoryFailed = (cause: unknown): ProcessError =>
  new ProcessError({
    message: `A private directory could not be made: ${String(cause)}. Check the temporary directory.`,
    code: codeOf(cause),
  })
