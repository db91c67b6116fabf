/**
 * What the next release of the published packages is: their versions, and what is new in them.
 */
import { existsSync, readFileSync } from "node:fs"
import { getReleasePlan } from "@changesets/get-release-plan"
import * as Packages from "./Published.ts"

/** What of a `package.json` decides about a release. */
export interface Manifest extends Packages.Manifest {
  readonly version: string
  readonly license?: string
  readonly repository?: string | { readonly url?: string; readonly directory?: string }
  readonly publishConfig?: { readonly access?: string; readonly tag?: string; readonly provenance?: boolean }
}

/** A package that others can install. `directory`: from the root. */
export interface Published {
  readonly directory: string
  readonly manifest: Manifest
}

/** A note for users, from a changeset. */
export interface Note {
  readonly id: string
  readonly summary: string
}

/**
 * - `next`: the version that will be published
 * - `bump`: what the notes ask for; `none` where a package only goes along with the others
 * - `tag`: the dist-tag, under which `npm install` finds it
 */
export interface Planned {
  readonly name: string
  readonly directory: string
  readonly current: string
  readonly next: string
  readonly bump: "major" | "minor" | "patch" | "none"
  readonly notes: ReadonlyArray<Note>
  readonly tag: string
}

/**
 * - `state`: `changesets` while there are some, `versioned` once `pnpm version-packages` has made versions of them
 * - `unreadable`: why the changesets make no plan
 */
export interface ReleasePlan {
  readonly state: "changesets" | "versioned"
  readonly packages: ReadonlyArray<Planned>
  readonly unreadable?: string
}

/** Every package that is published, by name. */
export const published = (root: string): ReadonlyArray<Published> =>
  Packages.published(root).map(({ directory, manifest }) => ({ directory, manifest: manifest as Manifest }))

/** Reads the changesets; changes nothing. */
export const read = async (root: string, packages: ReadonlyArray<Published>): Promise<ReleasePlan> => {
  try {
    const { changesets, releases } = await getReleasePlan(root)
    const planned = packages.map(({ manifest, directory }): Planned => {
      const release = releases.find(({ name }) => name === manifest.name)
      const about = changesets.filter((each) => each.releases.some(({ name }) => name === manifest.name))
      return {
        name: manifest.name,
        directory,
        current: manifest.version,
        next: release?.newVersion ?? manifest.version,
        bump: strongest(about.flatMap((each) => each.releases.filter(({ name }) => name === manifest.name))),
        notes: about.map(({ id, summary }) => ({ id, summary: summary.trim() })),
        tag: manifest.publishConfig?.tag ?? "latest",
      }
    })
    return { state: changesets.length === 0 ? "versioned" : "changesets", packages: planned }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { state: "changesets", packages: [], unreadable: why }
  }
}

const strength = ["none", "patch", "minor", "major"] as const

const strongest = (asked: ReadonlyArray<{ readonly type: Planned["bump"] }>): Planned["bump"] =>
  strength[Math.max(0, ...asked.map(({ type }) => strength.indexOf(type)))] ?? "none"

/** What a changelog says about a version, without its heading; `undefined` where it does not name it. */
export const changelogOf = (root: string, directory: string, version: string): string | undefined => {
  const path = `${root}/${directory}/CHANGELOG.md`
  if (!existsSync(path)) return undefined
  const [, ...sections] = readFileSync(path, "utf8").split(/^## /m)
  const found = sections.find((section) => section.split("\n", 1)[0] === version)
  return found?.slice(version.length).trim()
}
