/**
 * Why a process could not be started.
 */
import { resolve } from "node:path"
import * as Data from "effect/Data"

/** A process or its private directory could not be created. */
export class ProcessError extends Data.TaggedError("ProcessError")<{
  /**
   * The cause and the remedy as whole sentences. Contains neither the environment nor the arguments of the command,
   * except for the name of a script that Node runs.
   */
  readonly message: string
  /**
   * The system's code, such as `ENOENT`; `EWORKDIR` for a `cwd` that is no directory, `unknown cause` without a code.
   */
  readonly code: string
}> {}

const unknownCause = "unknown cause"

/**
 * Returns the system's code of an error of Node, such as `ENOENT`; `unknown cause` for one that has none.
 *
 * @param cause any value that was thrown
 */
export const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? unknownCause

/**
 * Makes the error of a command that could not be started, with a remedy that fits the code of the cause.
 *
 * @param command the name of the program in the message
 * @param cause Node's error. Only its code is used: its message contains the arguments
 */
export const spawnFailed = (command: string, cause: unknown): ProcessError => {
  const code = codeOf(cause)
  return new ProcessError({ message: whyNotStarted(command, code), code })
}

/**
 * Makes the error of a working directory that does not exist or is not a directory. Node would report `ENOENT` or
 * `ENOTDIR`, as for a missing command.
 *
 * @param command the name of the program in the message
 * @param cwd the working directory that was requested; the message contains its absolute path
 * @param problem why it cannot be one, from `WorkingDirectory.problem`
 */
export const noDirectory = (command: string, cwd: string, problem: string): ProcessError =>
  new ProcessError({ message: `The working directory ${resolve(cwd)} of ${command} ${problem}`, code: "EWORKDIR" })

const whyNotStarted = (command: string, code: string): string => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return `The command ${command} was not found. Install it, put it on PATH, or name it by its whole path.`
    case "EACCES":
      return `The command ${command} may not be executed. Check its permissions.`
    default:
      return (
        `The command ${command} could not be started (${code}). ` +
        "Look the code up in errno(3), and check the command and its arguments."
      )
  }
}

/**
 * Makes the error for a directory of `PrivateDirectory.make` that could not be created.
 *
 * @param cause Node's error, which the message quotes
 */
export const directoryFailed = (cause: unknown): ProcessError =>
  new ProcessError({
    message: `A private directory could not be made: ${String(cause)}. Check the temporary directory.`,
    code: codeOf(cause),
  })
