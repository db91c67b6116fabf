/**
 * Whether a path is inside a directory, by their names alone: for sure, or possibly.
 */
import * as McpProvider from "./McpProvider.ts"

const onWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/

/** Relative only by its looks: someone's home, a drive, an address, the root of a drive. */
const isElsewhere = /^(?:~|[A-Za-z][\w+.-]*:|\\)/

/** Whether a path says by itself where it is, on this machine or another. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || onWindows.test(path)

/**
 * Whether it is for sure. What cannot be told is outside.
 *
 * @param directory an absolute path
 * @param path the path in question; the directory itself is inside
 * @param cwd what a relative path is relative to
 */
export const isInside = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  return places !== undefined && holds(places.directory, places.path)
}

/**
 * Whether it may be. What cannot be told is inside, and so are names that some file systems take for the same.
 *
 * @param directory, path, cwd as above
 */
export const mayBeInside = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  return places === undefined || holds(alike(places.directory), alike(places.path)) || hasShortName(places.path)
}

/**
 * Whether what is done to the path, or anywhere below it, may be done inside the directory.
 *
 * @param directory, path, cwd as above
 */
export const mayReach = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  return (
    mayBeInside(directory, path, cwd) || (places !== undefined && holds(alike(places.path), alike(places.directory)))
  )
}

/** Whether two absolute directories are one, for sure. */
export const isSame = (directory: string, other: string): boolean =>
  isInside(directory, other, undefined) && isInside(other, directory, undefined)

/** Whether they may be. */
export const mayBeSame = (directory: string, other: string): boolean =>
  mayBeInside(directory, other, undefined) && mayBeInside(other, directory, undefined)

/** What sets up programs that run in a project: to write it is to run what it says. */
const setup: ReadonlySet<string> = new Set([
  ...McpProvider.configurationDirectories,
  ...[".git", ".agents", ".mcp.json", ".husky", ".githooks", ".vscode", ".zain"],
])

/**
 * Whether a path inside the directory is of such files, or may be.
 *
 * @param directory, path, cwd as above
 */
export const reachesSetup = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  if (places === undefined) return true
  const below = alike(places.path).slice(places.directory.length)
  return below.some((name) => setup.has(name)) || hasShortName([places.path[0] ?? "", ...below])
}

/** Both as names from one root on, or `undefined` when that cannot be told. */
const placesOf = (directory: string, path: string, cwd: string | undefined) => {
  const whole = isAbsolute(path) ? path : joined(cwd, path)
  const read = onWindows.test(directory) ? windows : posix
  const [outer, inner] = [read(directory), whole === undefined ? undefined : read(whole)]
  return outer === undefined || inner === undefined ? undefined : { directory: outer, path: inner }
}

const holds = (outer: Names, inner: Names): boolean => outer.every((part, at) => inner[at] === part)

/** Without what a file system may not tell apart: capitals, two spellings of a letter, and marks that show nowhere. */
const alike = (names: Names): Names =>
  names.map((name) =>
    name
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .normalize("NFKC")
      .toLowerCase(),
  )

/** `GIT~1` is another name of `.git`, or of something else. */
const hasShortName = (names: Names): boolean => names[0] !== "/" && names.some((name) => /~\d/.test(name))

const joined = (cwd: string | undefined, path: string): string | undefined =>
  cwd !== undefined && isAbsolute(cwd) && !isElsewhere.test(path) ? `${cwd}/${path}` : undefined

/** The names from the root on, without detours. */
type Names = ReadonlyArray<string>

/** A backslash is part of a name here, and a separator to programs that came from elsewhere. */
const posix = (path: string): Names | undefined =>
  path.startsWith("/") && !path.includes("\\") ? resolve("/", path.split("/")) : undefined

/**
 * Streams, paths relative to a drive, and names whose end Windows does not see are not what they look like. On a share,
 * `..` stops where Windows says: a path there with a detour is not read.
 */
const windows = (path: string): Names | undefined => {
  if (!onWindows.test(path)) return undefined
  const names = path.slice(2).split(/[\\/]/)
  const isDrive = path[1] === ":"
  const isPlain = names.every((name) => (isDrive && (name === "." || name === "..")) || !/:|[. ]$/.test(name))
  return isPlain ? resolve(path.slice(0, 2), names) : undefined
}

const resolve = (root: string, names: ReadonlyArray<string>): Names => {
  const kept: Array<string> = []
  for (const name of names) {
    if (name === "..") kept.pop()
    else if (name !== "" && name !== ".") kept.push(name)
  }
  return [root, ...kept]
}
