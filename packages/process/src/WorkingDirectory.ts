/**
 * Why a path cannot be the working directory of a process.
 */
import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs"
import { dirname, resolve, sep } from "node:path"
import * as Result from "effect/Result"
import * as ProcessError from "./ProcessError.ts"

/** The system's code for why a process cannot start in a directory; `undefined` if it can. */
const codeOf = (path: string): string | undefined => {
  try {
    if (!statSync(path).isDirectory()) return "ENOTDIR"
    accessSync(path, constants.X_OK)
    return undefined
  } catch (cause) {
    return ProcessError.codeOf(cause)
  }
}

/** The longest path of a file in a message, in bytes: the remedy must fit after it. */
const maxShownBytes = 300

/** What exists of a path, if that is no directory. */
const fileIn = (path: string): string | undefined => {
  let part = path
  while (!existsSync(part) && dirname(part) !== part) part = dirname(part)
  return codeOf(part) === "ENOTDIR" ? part : undefined
}

const isLink = (path: string): boolean =>
  Result.getOrElse(
    Result.try(() => lstatSync(path).isSymbolicLink()),
    () => false,
  )

/** The path without separators at its end, which `dirname` would skip together with the last name. */
const bare = (path: string): string => {
  let end = path.length
  while (end > 1 && (path[end - 1] === "/" || path[end - 1] === sep)) end--
  return path.slice(0, end)
}

/**
 * Returns why a process cannot start in a directory, and what to do, as the end of a sentence that begins with the path;
 * `undefined` if it can.
 *
 * @param path a relative path starts at the host's working directory, which is also meant by an empty one
 * @param option the option to set, for the message; `cwd` in backticks by default
 */
export const problem = (path: string, option = "`cwd`"): string | undefined => {
  const code = codeOf(path || ".")
  if (code === undefined) return undefined
  const other = `${option} to an existing directory.`
  if (code === "EACCES") return `may not be entered. Check its permissions, or set ${other}`
  if (code !== "ENOENT" && code !== "ENOTDIR") return `cannot be used (${code}). Set ${other}`
  const given = bare(path)
  const file = fileIn(given)
  if (file === given) return `is not a directory. Set ${other}`
  if (file !== undefined) {
    const name = Buffer.byteLength(resolve(file)) > maxShownBytes ? "a part of it" : resolve(file)
    return `cannot exist: ${name} is a file. Set ${other}`
  }
  return code === "ENOTDIR" || isLink(given)
    ? `is a link to no directory. Set ${other}`
    : `does not exist. Create it, or set ${other}`
}
