/**
 * Whether a path is inside a directory, by their names alone. What cannot be told is outside.
 */

const onWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/

/** Whether a path says by itself where it is, on this machine or another. */
export const isAbsolute = (path: string): boolean => path.startsWith("/") || onWindows.test(path)

/**
 * @param directory an absolute path
 * @param path the path in question; the directory itself is inside
 * @param cwd what a relative path is relative to
 */
export const isInside = (directory: string, path: string, cwd: string | undefined): boolean => {
  const whole = isAbsolute(path) ? path : cwd !== undefined && isAbsolute(cwd) ? `${cwd}/${path}` : undefined
  if (whole === undefined) return false
  const read = onWindows.test(directory) ? windows : posix
  const [outer, inner] = [read(directory), read(whole)]
  return outer !== undefined && inner !== undefined && outer.every((part, at) => inner[at] === part)
}

/** The names from the root on, without detours. */
type Place = ReadonlyArray<string> | undefined

/** A backslash is part of a name here, and a separator to programs that came from elsewhere. */
const posix = (path: string): Place => (path.includes("\\") ? undefined : resolve("/", path.split("/")))

/** Streams, paths relative to a drive, and names whose end Windows does not see are not what they look like. */
const windows = (path: string): Place => {
  if (!onWindows.test(path)) return undefined
  const names = path.slice(2).split(/[\\/]/)
  const isPlain = names.every((name) => name === "." || name === ".." || !/:|[. ]$/.test(name))
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
