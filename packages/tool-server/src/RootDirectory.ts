/**
 * Directories in which clients may have work done, as people name them.
 */
import { realpathSync, statSync } from "node:fs"

/**
 * An existing directory by its path without links.
 *
 * @param path absolute, or relative to this process's own directory
 * @returns `undefined` where there is no such directory
 */
export const find = (path: string): string | undefined => {
  try {
    const real = realpathSync.native(path)
    return statSync(real).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
