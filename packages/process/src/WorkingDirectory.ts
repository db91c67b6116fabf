/**
 * Why a path cannot be the working directory of a process.
 */
import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The longest path of a file in a message, in characters: the remedy must fit after it. */
const longestShown = 300

/**
 * Returns why a process cannot start in a directory, and what to do, as the end of a sentence that begins with the path;
 * `undefined` if it is an existing directory.
 *
 * @param path a relative path starts at the host's working directory
 * @param option the option to set, for the message; `cwd` in backticks by default
 */
export const problem = (path: string, option = "`cwd`"): string | undefined => {
  if (isDirectory(path)) return undefined
  const set = `et ${option} to an existing directory.`
  if (existsSync(path)) return `is not a directory. S${set}`
  let parent = dirname(resolve(path))
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent)
  if (isDirectory(parent)) return `does not exist. Create it, or s${set}`
  return `cannot exist: ${parent.length > longestShown ? "a part of it" : parent} is a file. S${set}`
}
