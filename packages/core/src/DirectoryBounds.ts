/**
 * Whether a path is inside a directory, by their names alone. What cannot be told is outside.
 */

const onWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/

/** Relative only by its looks: someone's home, a drive, an address, the root of a drive. */
const isElsewhere = /^(?:~|[A-Za-z][\w+.-]*:|\\)/

/** Whether a path says by itself where it is, on this machine or another. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || onWindows.test(path)

/**
 * @param directory an absolute path
 * @param path the path in question; the directory itself is inside
 * @param cwd what a relative path is relative to
 */
export const isInside = (directory: string, path: string, cwd: string | undefined): boolean => {
  const whole = isAbsolute(path) ? path : joined(cwd, path)
  if (whole === undefined) return false
  const read = onWindows.test(directory) ? windows : posix
  const [outer, inner] = [read(directory), read(whole)]
  return outer !== undefined && inner !== undefined && outer.every((part, at) => inner[at] === part)
}

const joined = (cwd: string | undefined, path: string): string | undefined =>
  cwd !== undefined && isAbsolute(cwd) && !isElsewhere.test(path) ? `${cwd}/${path}` : undefined

/** The names from the root on, without detours. */
type Place = ReadonlyArray<string> | undefined

/** A backslash is part of a name here, and a separator to programs that came from elsewhere. */
const posix = (path: string): Place =>
  path.startsWith("/") && !path.includes("\\") ? resolve("/", path.split("/")) : undefined

/**
 * Streams, paths relative to a drive, and names whose end Windows does not see are not what they look like. On a share,
 * `..` stops where Windows says: a path there with a detour is not read.
 */
const windows = (path: string): Place => {
  if (!onWindows.test(path)) return undefined
  const names = path.slice(2).split(/[\\/]/)
  const isDrive = path[1] === ":"
  const isPlain = names.every((name) => (isDrive && (name === "." || name === "..")) || !/:|[. ]$/.test(name))
  return isPlain ? resolve(path.slice(0, 2), names) : undefined
}

const resolve = (root: string, names: ReadonlyArray<string>): Place => {
  const kept: Array<string> = []
  for (const name of names) {
    if (name === "..") kept.pop()
    else if (name !== "" && name !== ".") kept.push(name)
  }
  return [root, ...kept]
}
