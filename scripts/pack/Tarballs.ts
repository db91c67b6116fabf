/**
 * Packages as they are uploaded, and what three judges say of them.
 */
import { mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { doors, isLibrary, type Published } from "../Published.ts"
import { problems } from "./Content.ts"
import { all, StepFailed, type Steps } from "./Steps.ts"

/** Packs a package into a directory of its own. */
export const pack = async (steps: Steps, root: string, place: string, each: Published): Promise<string> => {
  const to = join(place, "tarballs", each.directory)
  mkdirSync(to, { recursive: true })
  await steps.run("pnpm", ["pack", "--pack-destination", to], { cwd: join(root, each.directory) })
  const [tarball] = readdirSync(to)
  if (tarball === undefined) throw new StepFailed(`${each.manifest.name} was not packed`)
  return join(to, tarball)
}

/**
 * `publint` judges the manifest, `attw` the types of every door, and `Content` what is in it.
 *
 * @returns its size and the number of its doors, for people
 */
export const judge = async (steps: Steps, root: string, each: Published, tarball: string): Promise<string> => {
  const opened = join(tarball, "../opened")
  mkdirSync(opened)
  const open = isLibrary(each) ? doors(root, each) : []
  const attw = ["exec", "attw", tarball, "--profile", "esm-only", "--format", "ascii", "--entrypoints"]
  const names = open.map(({ name }) => name)
  await all([
    () => steps.run("pnpm", ["exec", "publint", "run", tarball, "--strict"], { cwd: root }),
    ...(open.length === 0 ? [] : [() => steps.run("pnpm", [...attw, ...names], { cwd: root })]),
    async () => {
      await steps.run("tar", ["-xzf", tarball, "-C", opened], { cwd: root })
      const found = problems(join(opened, "package"), root.replace(/\/$/, ""))
      if (found.length > 0) throw new StepFailed(found.join("\n"))
      return ""
    },
  ])
  const size = `${Math.ceil(statSync(tarball).size / 1024)} KiB`
  return open.length === 0 ? size : `${size}, ${open.length} doors`
}
