/**
 * Where programs are looked for: not in the working directory, whose files may be anybody's.
 *
 * @see promise on spawning: commands never come from files of the working directory
 */
import { realpathSync } from "node:fs"
import { delimiter, isAbsolute, join, relative } from "node:path"
import * as ProgramPath from "@zain/tool-server/ProgramPath"

export type Variables = Readonly<Record<string, string | undefined>>

/**
 * - `path`: PATH without what depends on the working directory
 * - `passedOver`: what was taken out
 */
export interface SafePath {
  readonly path: string
  readonly passedOver: ReadonlyArray<string>
}

/** Where a system has its programs. */
const system = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]

/**
 * @param cwd the working directory. One that holds the whole home directory, or a directory of the system's, is no
 *   stranger's, and no reason to pass over what is in it
 */
export const make = (env: Variables, cwd: string, home: string): SafePath => {
  const entries = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((entry) => entry !== "")
  const isOwn = [home, ...system].some((path) => isWithin(path, cwd))
  const isSafe = (entry: string) => isAbsolute(entry) && (isOwn || !isWithin(entry, cwd))
  return {
    path: entries.filter(isSafe).join(delimiter),
    passedOver: entries.filter((entry) => !isSafe(entry)),
  }
}

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(real(folder), real(path))
  return way === "" || !(way.startsWith("..") || isAbsolute(way))
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Where a program is, and where it was seen and passed over. */
export interface Found {
  readonly program: string | undefined
  readonly passedOver: ReadonlyArray<string>
}

/** Looks a name up. */
export const find = (name: string, { passedOver, path }: SafePath, env: Variables): Found => ({
  program: ProgramPath.find(name, { ...env, PATH: path }),
  passedOver: passedOver.filter((folder) => ProgramPath.find(join(folder, name), env) !== undefined),
})
