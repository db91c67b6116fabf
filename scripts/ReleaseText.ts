/**
 * A release for people.
 */
import type { Problem } from "./ReleaseChecks.ts"
import { changelogOf, type Planned, type ReleasePlan } from "./ReleasePlan.ts"
import type { Tarball } from "./ReleaseTarballs.ts"

/**
 * Everything that a dry run finds out.
 *
 * - `version`: the one of all packages; `undefined` while they differ
 * - `problems`: what is wrong with the release wherever it is run
 * - `here`: what is in the way only here and now
 */
export interface DryRun {
  readonly state: ReleasePlan["state"]
  readonly version: string | undefined
  readonly packages: ReadonlyArray<Planned & { readonly tarball: Tarball | undefined }>
  readonly problems: ReadonlyArray<Problem>
  readonly here: ReadonlyArray<Problem>
}

/** A table of the packages, what is new, and what is in the way. */
export const dryRun = ({ here, packages, problems, state, version }: DryRun): string =>
  [
    version === undefined ? "Nothing can be released." : `Release ${version} of ${packages.length} packages:`,
    "",
    ...table([
      ["package", "now", "next", "notes", "dist-tag", "tarball", "files"],
      ...packages.map(({ bump, current, name, next, notes, tag, tarball }) => [
        name,
        current,
        next,
        `${notes.length} ${bump}`,
        tag,
        tarball === undefined ? "?" : size(tarball.bytes),
        tarball === undefined ? "?" : String(tarball.files.length),
      ]),
    ]),
    "",
    ...(state === "versioned" ? ["The notes are in the CHANGELOG.md of each package."] : whatIsNew(packages)),
    ...packages.flatMap(unbuilt),
    ...problems.map(line("problem")),
    ...here.map(line("not from here")),
    "",
    problems.length === 0
      ? "This was a dry run: nothing was published, and nothing was changed."
      : "Nothing would be published. This was a dry run: nothing was changed.",
    "",
  ].join("\n")

/** Each note once, under the packages that it is about. */
const whatIsNew = (packages: ReadonlyArray<Planned>): ReadonlyArray<string> => {
  const notes = packages.flatMap(({ name, notes }) => notes.map((note) => ({ name, ...note })))
  return [...Map.groupBy(notes, ({ id }) => id).values()].flatMap((same) => [
    `${same.map(({ name }) => name).join(", ")} (.changeset/${same[0]?.id}.md)`,
    ...(same[0]?.summary ?? "").split("\n").map((text) => `  ${text}`.trimEnd()),
    "",
  ])
}

const unbuilt = ({ name, tarball }: DryRun["packages"][number]): ReadonlyArray<string> =>
  tarball === undefined || tarball.missing.length === 0
    ? []
    : [`not built: ${name} (${tarball.missing.join(", ")}). Run pnpm build to see its real size.`]

/** A problem on a line. */
export const line =
  (kind: string) =>
  ({ fix, what }: Problem): string =>
    `${kind}: ${what} ${fix}`

const size = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`

const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

/**
 * What the changelogs say about a version, as one page: each note once, under the names of its packages. Which version of
 * which package follows from a note is left out, as all have the same.
 */
export const notes = (root: string, packages: ReadonlyArray<Planned>): string => {
  const found = packages.flatMap(({ name, next, directory }) =>
    (changelogOf(root, directory, next) ?? "")
      .split(/^(?=- |### )/m)
      .filter((part) => part.startsWith("- ") && !part.startsWith("- Updated dependencies"))
      .map((part) => ({ name, text: unlisted(part) })),
  )
  return [...Map.groupBy(found, ({ text }) => text)]
    .map(([text, same]) => `### ${same.map(({ name }) => `\`${name}\``).join(", ")}\n\n${text}\n`)
    .join("\n")
}

/** The text of an item of a list, without its mark, the commit that it came by, and its indentation. */
const unlisted = (item: string): string =>
  item
    .replace(/^- (?:[0-9a-f]{7,40}: )?/, "")
    .replaceAll(/^ {2}/gm, "")
    .trim()
