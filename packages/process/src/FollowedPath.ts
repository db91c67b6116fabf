/**
 * Where a path leads once its links are followed, whether or not there is anything.
 */
import { readlink } from "node:fs/promises"
import { dirname, isAbsolute, join, parse, sep } from "node:path"

/**
 * - `place`: the absolute path without links
 * - `isThere`: whether there is something
 * - `isCertain`: whether a file that is written by this path lies there: false behind a link to what is not there, behind
 *   what cannot be looked at, and after `..` behind what is not there
 */
export interface FollowedPath {
  readonly place: string
  readonly isThere: boolean
  readonly isCertain: boolean
}

/** How many names of one path are followed, and how often links that lead to each other. */
const [mostNames, mostLinks] = [256, 40]

/** Whether a path is too long to be followed: it has more than 4,096 characters or 256 names. */
export const isTooLong = (path: string): boolean => path.length > 4_096 || path.split(sep).length > mostNames

/**
 * Follows an absolute path, name by name: `..` is the directory above the place that a link before it leads to.
 *
 * @param known where the beginnings of paths lead, so that those of several paths are read once; it grows
 */
export const follow = async (
  path: string,
  known: Map<string, FollowedPath> = new Map(),
  links: number = mostLinks,
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
