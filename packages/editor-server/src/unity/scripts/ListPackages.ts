/**
 * `script_packages_list`: the packages of a project, by its manifest, its lock file and what lies there.
 */
import { readdir, realpath } from "node:fs/promises"
import { join } from "node:path"
import { gauge } from "@zain/process/JsonBounds"
import * as Effect from "effect/Effect"
import type { DomainError } from "../../domain/DomainError.ts"
import * as ProjectFiles from "./ProjectFiles.ts"
import * as Refusal from "./Refusal.ts"
import * as Arg from "./ScriptArguments.ts"
import type { Work } from "./ScriptProject.ts"

interface Package {
  readonly name: string
  readonly version: string
  readonly source: string
  readonly isDirect: boolean
  readonly path?: string
}

const mostPackages = 2_000

const bounds = { maxDepth: 64, maxElements: 100_000 }

export const listPackages: Work = Effect.fnUntraced(function* (args, { root }) {
  const manifest = members(yield* json(root, "Packages/manifest.json"), "dependencies")
  const locked = members(yield* json(root, "Packages/packages-lock.json"), "dependencies")
  const found = new Map<string, Package>()
  for (const [name, wanted] of Object.entries(manifest)) {
    const version = typeof wanted === "string" ? wanted : ""
    found.set(name, { name, version, source: sourceOf(name, version), isDirect: true })
  }
  for (const [name, entry] of Object.entries(locked)) {
    const { source, version } = objectOf(entry)
    const before = found.get(name)
    found.set(name, {
      name,
      version: typeof version === "string" ? version : (before?.version ?? ""),
      source: typeof source === "string" ? source : (before?.source ?? "registry"),
      isDirect: before !== undefined,
    })
  }
  for (const directory of yield* names(root, "Packages")) {
    const path = `Packages/${directory}`
    const about = yield* Effect.orElseSucceed(json(root, `${path}/package.json`), () => undefined)
    if (about === undefined) continue
    const name = typeof about["name"] === "string" ? about["name"] : directory
    const version = typeof about["version"] === "string" ? about["version"] : ""
    found.set(name, { name, version, source: "embedded", isDirect: true, path })
  }
  for (const directory of yield* names(root, "Library/PackageCache")) {
    const [name = "", version = ""] = directory.split("@")
    const path = `Library/PackageCache/${directory}`
    const before = found.get(name)
    if (before?.path === undefined) {
      found.set(name, { ...(before ?? { name, version, source: "cache", isDirect: false }), path })
    }
  }
  const includesBuiltIn = Arg.flag(args, "includeBuiltIn", false)
  const shown = [...found.values()].filter(({ source }) => includesBuiltIn || source !== "builtin")
  shown.sort((one, other) => (one.name < other.name ? -1 : 1))
  return {
    packages: shown.slice(0, mostPackages),
    total: shown.length,
    ...(shown.length > mostPackages ? { truncated: true } : {}),
  }
})

const sourceOf = (name: string, version: string): string => {
  if (name.startsWith("com.unity.modules.")) return "builtin"
  if (version.startsWith("file:")) return "local"
  return /^(git|https?|ssh)[:@+]|\.git(#|$)/.test(version) ? "git" : "registry"
}

const members = (value: Readonly<Record<string, unknown>> | undefined, name: string) => objectOf(value?.[name])

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}

/** The names in a directory of the project; none where it is not there or leads out of it. */
const names = (root: string, path: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const place = await realpath(join(root, path)).catch(() => undefined)
    if (place !== join(root, path)) return []
    const entries = await readdir(place, { withFileTypes: true }).catch(() => [])
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).slice(0, mostPackages)
  })

/** An object of a JSON file; `undefined` where there is no such file in the project. */
const json = (root: string, path: string): Effect.Effect<Readonly<Record<string, unknown>> | undefined, DomainError> =>
  Effect.tryPromise({
    try: async () => {
      const whole = join(root, path)
      if ((await realpath(whole).catch(() => undefined)) !== whole) return undefined
      const content = await ProjectFiles.bytesOf(whole)
      if (typeof content === "string")
        throw new Error(content === "too-large" ? "it is too large" : "it is no regular file")
      if (gauge(bounds)(content.bytes) !== undefined) throw new Error("it is nested too deep or has too many values")
      return objectOf(JSON.parse(content.bytes.toString("utf8").replace(/^\uFEFF/, "")))
    },
    catch: (cause) => Refusal.failed(`${path} cannot be read: ${(cause as Error).message}. Correct the file`),
  })
