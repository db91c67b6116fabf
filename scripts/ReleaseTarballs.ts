/**
 * What would be in the tarballs, packed as they would be published.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, matchesGlob, posix } from "node:path"
import { promisify } from "node:util"
import type { Manifest, Published } from "./ReleasePlan.ts"

/**
 * - `bytes`: the size of the tarball
 * - `files`: the paths in it
 * - `missing`: what `exports` or `bin` lead to and is not in it
 */
export interface Tarball {
  readonly bytes: number
  readonly files: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs into a temporary directory that does not outlive the call. By name of package. */
export const pack = async (root: string, packages: ReadonlyArray<Published>): Promise<ReadonlyMap<string, Tarball>> => {
  const directory = mkdtempSync(join(tmpdir(), "zain-release-"))
  try {
    const filters = packages.flatMap(({ manifest }) => ["--filter", manifest.name])
    const args = ["--recursive", ...filters, "pack", "--json", "--pack-destination", directory]
    const { stdout } = await promisify(execFile)("pnpm", args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
    const packed: Packed | ReadonlyArray<Packed> = JSON.parse(stdout)
    const manifests = new Map(packages.map(({ manifest }) => [manifest.name, manifest]))
    return new Map(
      [packed].flat().map(({ filename, files, name }) => {
        const paths = files.map(({ path }) => path)
        const manifest = manifests.get(name)
        const missing = manifest === undefined ? [] : missingOf(manifest, paths)
        return [name, { bytes: statSync(filename).size, files: paths, missing }]
      }),
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The files that users are promised and would not get. */
export const missingOf = ({ bin = {}, exports = {} }: Manifest, files: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set([...targetsOf(exports), ...targetsOf(bin)].map((target) => posix.normalize(target)))].filter(
    (target) => target !== "package.json" && !files.some((file) => matchesGlob(file, target.replaceAll("*", "**"))),
  )

/** The condition under which packages of this workspace read each other's sources. */
const source = "zain-source"

const targetsOf = (entry: unknown): ReadonlyArray<string> =>
  typeof entry === "string"
    ? [entry]
    : typeof entry === "object" && entry !== null
      ? Object.entries(entry).flatMap(([key, value]) => (key === source ? [] : targetsOf(value)))
      : []
