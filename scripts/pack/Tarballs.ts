/**
 * Packed packages.
 */
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { join, posix } from "node:path"
import { noticesFile } from "../Notices.ts"
import { doors, type Published } from "../Published.ts"
import { run, StepFailed } from "./Steps.ts"

export interface Tarball {
  readonly name: string
  /** The path of the tarball. */
  readonly file: string
  /** The directory with its unpacked files. */
  readonly opened: string
  /** Its importable paths, after its name. */
  readonly open: ReadonlyArray<string>
}

/**
 * Packs a package into a directory of its own, and unpacks it there.
 *
 * @param release a directory that `pnpm release:pack` has filled; what is in it is not packed again
 */
export const pack = async (root: string, place: string, each: Published, release: string | undefined) => {
  const to = join(place, each.directory)
  mkdirSync(to, { recursive: true })
  const { name, version } = each.manifest
  const tarball = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`
  const file = join(to, tarball)
  const packed = release === undefined ? "" : join(release, "packages", tarball)
  if (existsSync(packed)) copyFileSync(packed, file)
  else await run(join(root, each.directory), ["pnpm", "pack", "--pack-destination", to])
  await run(to, ["tar", "-xzf", file])
  const manifest = JSON.parse(readFileSync(join(to, "package/package.json"), "utf8"))
  const open = doors(to, { directory: "package", manifest }).map((door) => door.name)
  return { name, file, opened: join(to, "package"), open }
}

/** `publint` judges the manifest, `attw` the types of every door, and `problems` what is in it. */
export const judge = async (root: string, { manifest }: Published, { file, open, opened }: Tarball) => {
  await run(root, ["pnpm", "exec", "publint", "run", file, "--strict"])
  const attw = ["pnpm", "exec", "attw", file, "--profile", "esm-only", "--format", "ascii", "--entrypoints"]
  if (open.length > 0) await run(root, [...attw, ...open])
  const wrong = problems(root, opened, Object.values(manifest.bin ?? {}))
  if (wrong.length > 0) throw new StepFailed(wrong.join("\n"))
}

/** Neither judge looks at these: paths of the workspace, tests, and a bundle without the licences of what is in it. */
export const problems = (root: string, opened: string, bins: ReadonlyArray<string>): ReadonlyArray<string> => {
  const files = globSync("**/*", { cwd: opened }).filter((file) => statSync(join(opened, file)).isFile())
  const places = ["packages", "node_modules"].map((each) => join(root, each, "/"))
  const bundled = bins.filter((bin) => !existsSync(join(opened, bin.replace(/\.js$/, ".d.ts"))))
  const notices = new Set(bundled.map((bin) => posix.join(posix.dirname(bin), noticesFile)))
  return [
    ...files.filter((file) => /(^|\/)tests?\/|\.test\./.test(file)).map((file) => `${file} is a test`),
    ...files
      .filter((file) => places.some((place) => readFileSync(join(opened, file), "utf8").includes(place)))
      .map((file) => `${file} names a path of ${root}`),
    ...[...notices].filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
  ]
}
