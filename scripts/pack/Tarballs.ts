/**
 * Packages as they are uploaded, and what three judges say of them.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Door, doors, isLibrary, type Published } from "../Published.ts"
import { problems } from "./Content.ts"
import { all, StepFailed, type Steps } from "./Steps.ts"

/**
 * - `file`: what is uploaded
 * - `opened`: the directory that it was unpacked in
 * - `content`: the package as it is there, which may be less than what it was packed from
 */
export interface Tarball {
  readonly file: string
  readonly opened: string
  readonly content: Published
}

/**
 * Packs a package into a directory of its own, and unpacks it there.
 *
 * @param release a directory that `pnpm release:pack` has filled; what is in it is not packed again
 */
export const pack = async (
  steps: Steps,
  root: string,
  place: string,
  each: Published,
  release: string | undefined,
): Promise<Tarball> => {
  const to = join(place, "tarballs", each.directory)
  mkdirSync(to, { recursive: true })
  const { name, version } = each.manifest
  const tarball = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
  const file = join(to, tarball)
  const packed = release === undefined ? "" : join(release, "packages", tarball)
  if (existsSync(packed)) copyFileSync(packed, file)
  else await steps.run("pnpm", ["pack", "--pack-destination", to], { cwd: join(root, each.directory) })
  const opened = join(to, "opened")
  mkdirSync(opened)
  await steps.run("tar", ["-xzf", file, "-C", opened], { cwd: root })
  const manifest = JSON.parse(readFileSync(join(opened, "package/package.json"), "utf8"))
  return { file, opened, content: { directory: "package", manifest } }
}

/** The doors that users of a tarball get. */
export const doorsOf = ({ content, opened }: Tarball): ReadonlyArray<Door> =>
  isLibrary(content) ? doors(opened, content) : []

/**
 * `publint` judges the manifest, `attw` the types of every door, and `Content` what is in it.
 *
 * @returns its size and the number of its doors, for people
 */
export const judge = async (steps: Steps, root: string, each: Published, tarball: Tarball): Promise<string> => {
  const { content, file, opened } = tarball
  const open = doorsOf(tarball).map(({ name }) => name)
  const built = isLibrary(each) ? doors(root, each).map(({ name }) => name) : []
  const attw = ["exec", "attw", file, "--profile", "esm-only", "--format", "ascii", "--entrypoints"]
  await all([
    () => steps.run("pnpm", ["exec", "publint", "run", file, "--strict"], { cwd: root }),
    ...(open.length === 0 ? [] : [() => steps.run("pnpm", [...attw, ...open], { cwd: root })]),
    async () => {
      const lost = built.filter((name) => !open.includes(name)).map((name) => `${name} was built, and is no door here`)
      const found = [...lost, ...problems(join(opened, content.directory), root.replace(/\/$/, ""))]
      if (found.length > 0) throw new StepFailed(found.join("\n"))
      return ""
    },
  ])
  const size = `${Math.ceil(statSync(file).size / 1024)} KiB`
  return open.length === 0 ? size : `${size}, ${open.length} doors`
}
