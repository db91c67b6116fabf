/**
 * Whether a path is inside a directory, by their names alone: certainly, or possibly.
 */
import * as McpProvider from "./McpProvider.ts"

const onWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/

/** Not absolute, and not relative to `cwd` either: a home directory, a drive, a URL, the root of a drive. */
const isElsewhere = /^(?:~|[A-Za-z][\w+.-]*:|\\)/

/** Whether a path is absolute, on POSIX or on Windows. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || onWindows.test(path)

/**
 * Whether a path is certainly inside a directory: `false` if that is unknown.
 *
 * @param directory an absolute path
 * @param path the path to check; the directory itself is inside
 * @param cwd the directory of a relative `path`
 */
export const isInside = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  return places !== undefined && holds(places.directory, places.path)
}

/**
 * Whether a path may be inside a directory: `true` if that is unknown, and for names that some file systems take for
 * the same.
 *
 * @param directory, path, cwd as for `isInside`
 */
export const mayBeInside = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  return places === undefined || holds(alike(places.directory), alike(places.path)) || hasShortName(places.path)
}

/**
 * Whether the path, or a path below it, may be inside the directory.
 *
 * @param directory, path, cwd as for `isInside`
 */
export const mayReach = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  return (
    mayBeInside(directory, path, cwd) || (places !== undefined && holds(alike(places.path), alike(places.directory)))
  )
}

/** Whether two absolute directories are certainly the same. */
export const isSame = (directory: string, other: string): boolean =>
  isInside(directory, other, undefined) && isInside(other, directory, undefined)

/** Whether two absolute directories may be the same. */
export const mayBeSame = (directory: string, other: string): boolean =>
  mayBeInside(directory, other, undefined) && mayBeInside(other, directory, undefined)

const setup: ReadonlySet<string> = new Set(McpProvider.setupNames)

/**
 * Whether a path inside the directory is, or may be, such a file.
 *
 * @param directory, path, cwd as for `isInside`
 */
export const reachesSetup = (directory: string, path: string, cwd: string | undefined): boolean => {
  const places = placesOf(directory, path, cwd)
  if (places === undefined) return true
  const below = alike(places.path).slice(places.directory.length)
  return below.some((name) => setup.has(name)) || hasShortName([places.path[0] ?? "", ...below])
}

/** Both paths as names from their root; `undefined` if one is unknown. */
const placesOf = (directory: string, path: string, cwd: string | undefined) => {
  const whole = isAbsolute(path) ? path : joined(cwd, path)
  const read = onWindows.test(directory) ? windows : posix
  const [outer, inner] = [read(directory), whole === undefined ? undefined : read(whole)]
  return outer === undefined || inner === undefined ? undefined : { directory: outer, path: inner }
}

const holds = (outer: Names, inner: Names): boolean => outer.every((part, at) => inner[at] === part)

/** Removes what some file systems ignore: case, other encodings of a character, and invisible characters. */
const alike = (names: Names): Names =>
  names.map((name) =>
    name
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .normalize("NFKC")
      .toLowerCase(),
  )

/** A short name of Windows: `GIT~1` may be another name of `.git`. */
const hasShortName = (names: Names): boolean => names[0] !== "/" && names.some((name) => /~\d/.test(name))

const joined = (cwd: string | undefined, path: string): string | undefined =>
  cwd !== undefined && isAbsolute(cwd) && !isElsewhere.test(path) ? `${cwd}/${path}` : undefined

/** The root and the names below it, without `.` and `..`. */
type Names = ReadonlyArray<string>

/** `undefined` for a backslash: part of a name on POSIX, but a separator to programs ported from Windows. */
const posix = (path: string): Names | undefined =>
  path.startsWith("/") && !path.includes("\\") ? resolve("/", path.split("/")) : undefined

/**
 * `undefined` for alternate data streams, paths relative to a drive, and names that end with a dot or a space, which
 * Windows ignores; and for `.` and `..` on a share, where Windows decides how far up `..` leads.
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
