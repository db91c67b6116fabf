/**
 * Why a process could not be started.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Data from "effect/Data"

/** A process or its private directory could not be created. */
export class ProcessError extends Data.TaggedError("ProcessError")<{
  /** The cause and the remedy as whole sentences. Contains neither arguments nor the environment of the command. */
  readonly message: string
  /**
   * The system's code, such as `ENOENT`; `EWORKDIR` for a `cwd` that is no directory, `unknown cause` without a code.
   */
  readonly code: string
}> {}

const unknownCause = "unknown cause"

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? unknownCause

/**
 * Makes the error of a command that could not be started.
 *
 * @param command the name of the program in the message
 * @param cause Node's error. Only its code is used: its message contains the arguments
 * @param cwd the working directory that was requested
 */
export const spawnFailed = (command: string, cause: unknown, cwd: string | undefined): ProcessError => {
  const code = codeOf(cause)
  return new ProcessError({ message: whyNotStarted(command, code, cwd), code })
}

/**
 * The cause of `spawnFailed` for a working directory that is missing, or is none: Node reports `ENOENT` or `ENOTDIR`,
 * as for a command.
 */
export const noWorkingDirectory = {
  /** Not a code of the system. */
  code: "EWORKDIR",
}

const wrongDirectory = (command: string, path: string): string => {
  const why = existsSync(path) ? "is not a directory. Set" : "does not exist. Create it, or set"
  return `The working directory ${path} of ${command} ${why} \`cwd\` to another.`
}

const whyNotStarted = (command: string, code: string, cwd: string | undefined): string => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return `The command ${command} was not found. Install it, put it on PATH, or name it by its whole path.`
    case "EACCES":
      return `The command ${command} may not be executed. Check its permissions.`
    case noWorkingDirectory.code:
      return wrongDirectory(command, resolve(cwd ?? ""))
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
