/**
 * Resolves symbolic links in a path, also in one that does not exist.
 */
import { readlink } from "node:fs/promises"
import { dirname, isAbsolute, join, parse, sep } from "node:path"

/** The result of `follow`: a path after its links have been resolved, and what is known of it. */
export interface FollowedPath {
  /** The absolute path without links; it may still contain links if `isCertain` is false. */
  readonly place: string
  /** Whether a file or directory exists at `place`; reliable only if `isCertain` is true. */
  readonly isThere: boolean
  /**
   * Whether a file written by the original path lies at `place`. False if a link in the path is dangling, if a part of
   * the path cannot be read, and if `..` follows a directory that does not exist.
   */
  readonly isCertain: boolean
}

/** How many names of one path are followed, and how many links that lead to each other. */
const [maxNames, maxLinks] = [256, 40]

/**
 * Whether a path is too long for `follow`.
 *
 * @param path too long with more than 4,096 characters or 256 names
 */
export const isTooLong = (path: string): boolean => path.length > 4_096 || path.split(sep).length > maxNames

/**
 * Resolves the links in a path, name by name: `..` after a link is the directory above the link's target.
 *
 * @param path an absolute path, at most as long as `isTooLong` allows
 * @param known a cache of resolved beginnings of paths, which the call extends: pass one to several calls to read their
 *   common directories once. Empty by default
 * @param links how many links are followed, one leading to the next; 40 by default. If there are more, `isCertain` of
 *   the result is false
 */
export const follow = async (
  path: string,
  known: Map<string, FollowedPath> = new Map(),
  links: number = maxLinks,
): Promise<FollowedPath> => {
  const { root } = parse(path)
  let here: FollowedPath = { place: root, isThere: true, isCertain: true }
  for (const name of path.slice(root.length).split(sep)) {
    if (name === "" || name === ".") continue
    const { isCertain, isThere, place } = here
    if (name === "..") {
      here = { place: dirname(place), isThere, isCertain: isCertain && isThere }
    } else if (isThere) {
      const next = join(place, name)
      const found = known.get(next) ?? (await step(place, next, known, links))
      known.set(next, found)
      here = { ...found, isCertain: isCertain && found.isCertain }
    } else here = { ...here, place: join(place, name) }
  }
  return here
}

const step = async (from: string, next: string, known: Map<string, FollowedPath>, links: number) => {
  const target = await readlink(next).catch((cause: NodeJS.ErrnoException) => cause)
  if (typeof target !== "string") {
    const isThere = target.code === "EINVAL"
    return { place: next, isThere, isCertain: isThere || target.code === "ENOENT" }
  }
  const led = isAbsolute(target) ? target : `${from}${sep}${target}`
  if (links === 0 || isTooLong(led)) return { place: next, isThere: true, isCertain: false }
  const end = await follow(led, known, links - 1)
  return { ...end, isCertain: end.isCertain && end.isThere }
}
