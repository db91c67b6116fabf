/**
 * The published packages and their exports.
 */
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

type Names = Readonly<Record<string, string>>

/** The target of an export: files by condition, one file, or nothing. */
export type Target = Readonly<Record<string, string>> | string | null

/** The members of a package.json that are read. */
export interface Manifest {
  readonly name: string
  readonly version?: string
  readonly private?: boolean
  readonly preferUnplugged?: boolean
  readonly exports?: Readonly<Record<string, Target>>
  readonly bin?: Names
  readonly engines?: Names
  readonly dependencies?: Names
  readonly peerDependencies?: Names
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly devDependencies?: Names
}

/** `directory`: from the root. */
export interface Published {
  readonly directory: string
  readonly manifest: Manifest
}

/** A path that others can import: `name` after the package's, `module` as the file below `dist`. */
export interface Door {
  readonly name: string
  readonly module: string
}

/** Every package of a workspace that is published, by name. */
export const published = (root: string): ReadonlyArray<Published> =>
  globSync(["packages/*/package.json", "contract-tests/package.json"], { cwd: root })
    .map((path) => ({ directory: dirname(path), manifest: readManifest(join(root, path)) }))
    .filter(({ manifest }) => manifest.private !== true)
    .sort((one, other) => one.manifest.name.localeCompare(other.manifest.name, "en"))

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8"))

/** Whether it can be imported; the others have commands only. */
export const isLibrary = ({ manifest }: Published): boolean => manifest.exports?.["."] !== undefined

/** Whether it is a bundle that needs nothing beside it: its declarations are one file too, and no source map leads to sources. */
export const isBundle = ({ manifest: { dependencies, peerDependencies, ...manifest } }: Published): boolean =>
  isLibrary({ directory: "", manifest }) && dependencies === undefined && peerDependencies === undefined

/** The declared modules below `dist`, without their extension. */
export const modules = (root: string, { directory }: Published): ReadonlyArray<string> =>
  globSync("**/*.d.ts", { cwd: join(root, directory, "dist") })
    .map((file) => file.replace(/\.d\.ts$/, "").replaceAll("\\", "/"))
    .sort()

/** The modules of a built package that others can import with types, as Node and TypeScript resolve `exports`. */
export const doors = (root: string, library: Published): ReadonlyArray<Door> => {
  const exports = library.manifest.exports ?? {}
  return modules(root, library)
    .map((module) => ({ name: module === "index" ? "." : `./${module}`, module }))
    .filter(({ module, name }) => typesAt(exports, name) === `./dist/${module}.d.ts`)
}

/** The declarations that a door leads to, if it is open to others. Of the patterns, which end with `*`, the longest decides. */
export const typesAt = (exports: Readonly<Record<string, Target>>, name: string): string | undefined => {
  const patterns = Object.keys(exports).filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)))
  const [key = name] = name in exports ? [] : patterns.sort((one, other) => other.length - one.length)
  const target = exports[key]
  return typeof target === "object" ? target?.["types"]?.replaceAll("*", name.slice(key.length - 1)) : undefined
}
