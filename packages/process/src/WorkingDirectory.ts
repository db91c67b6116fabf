/**
 * Why a path cannot be the working directory of a process.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

/** The system's code for why a process cannot start in a directory; `undefined` if it can. */
const codeOf = (path: string): string | undefined => {
  try {
    if (!statSync(path).isDirectory()) return "ENOTDIR"
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown cause"
  }
}

/** The longest path of a file in a message, in bytes: the remedy must fit after it. */
const longestShown = 300

/** The file that a path uses as a directory: the path itself, or a part of it. */
const fileIn = (path: string): string => {
  let file = path
  while (!existsSync(file) && dirname(file) !== file) file = dirname(file)
  return file
}

/**
 * Returns why a process cannot start in a directory, and what to do, as the end of a sentence that begins with the path;
 * `undefined` if it can.
 *
 * @param path a relative path starts at the host's working directory, which is also meant by an empty one
 * @param option the option to set, for the message; `cwd` in backticks by default
 */
export const problem = (path: string, option = "`cwd`"): string | undefined => {
  const given = path || "."
  const other = `${option} to an existing directory.`
  const code = codeOf(given)
  switch (code) {
    case undefined:
      return undefined
    case "ENOENT":
      return `does not exist. Create it, or set ${other}`
    case "EACCES":
      return `may not be entered. Check its permissions, or set ${other}`
    case "ENOTDIR": {
      const file = fileIn(given)
      if (file === given) return `is not a directory. Set ${other}`
      const name = Buffer.byteLength(resolve(file)) > longestShown ? "a part of it" : resolve(file)
      return `cannot exist: ${name} is a file. Set ${other}`
    }
    default:
      return `cannot be used (${code}). Set ${other}`
  }
}
