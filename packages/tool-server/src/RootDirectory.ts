/**
 * The directories in which clients may let agents work.
 */
import { realpathSync, statSync } from "node:fs"

/**
 * Returns the path of an existing directory without symbolic links.
 *
 * @param path absolute, or relative to this process's own directory
 * @returns the real path; `undefined` if there is no such directory
 */
export const find = (path: string): string | undefined => {
  try {
    const real = realpathSync.native(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
