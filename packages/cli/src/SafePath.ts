/**
 * Where programs are searched: not in the project around the working directory, whose files are untrusted.
 *
 * @see promise on spawning: commands never come from files of the working directory
 */
import { realpathSync } from "node:fs"
import { basename, delimiter, dirname, isAbsolute, relative } from "node:path"
import * as ProgramPath from "@zain/process/ProgramPath"
import * as Repository from "@zain/tool-server/Repository"

export type Variables = Readonly<Record<string, string | undefined>>

export interface SafePath {
  /** PATH without entries that depend on the working directory. */
  readonly path: string
  /** The removed entries. */
  readonly passedOver: ReadonlyArray<string>
}

/** Directories of the system's programs. */
const system = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]

/**
 * Removes relative entries, entries in the working directory or the nearest repository around it, and every
 * `node_modules/.bin` of a directory above, which npx puts on PATH.
 *
 * @param cwd the working directory. A directory that holds the home directory, or programs of the system, is trusted
 */
export const make = (env: Variables, cwd: string, home: string): SafePath => {
  const written = env["PATH"] ?? env["Path"] ?? ""
  // An empty entry is the working directory.
  const entries = written === "" ? [] : written.split(delimiter).map((entry) => (entry === "" ? "." : entry))
  const isOwn = (folder: string) => [home, ...system].some((path) => isWithin(path, folder))
  const strangers = above(cwd).filter((folder) => !isOwn(folder))
  const tree = strangers.find((folder) => Repository.isTop(folder)) ?? strangers[0]
  const isOfProject = (entry: string) =>
    isPackages(entry) && strangers.some((folder) => real(dirname(dirname(entry))) === real(folder))
  const isSafe = (entry: string) =>
    isAbsolute(entry) && !(tree !== undefined && isWithin(entry, tree)) && !isOfProject(entry)
  return {
    path: entries.filter(isSafe).join(delimiter),
    passedOver: entries.filter((entry) => !isSafe(entry)),
  }
}

/** A directory and its parents, the nearest first. */
const above = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...above(parent)]
}

const isPackages = (entry: string) => basename(entry) === ".bin" && basename(dirname(entry)) === "node_modules"

const isWithin = (path: string, folder: string): boolean => {
  const way = relative(real(folder), real(path))
  return way === "" || !(way === ".." || /^\.\.[\\/]/.test(way) || isAbsolute(way))
}

const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Where a program is, and the skipped directories that have one. */
export interface Found {
  readonly program: string | undefined
  readonly passedOver: ReadonlyArray<string>
}

/** Finds a program by name. */
export const find = (name: string, { passedOver, path }: SafePath, env: Variables): Found => ({
  program: ProgramPath.find(name, { ...env, PATH: path }),
  passedOver: passedOver.filter((folder) => ProgramPath.find(`${folder}/${name}`, env) !== undefined),
})
