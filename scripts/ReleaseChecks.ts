/**
 * What stands in the way of a release.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as ApiReport from "./ApiReport.ts"
import { changelogOf, type Manifest, type Planned, type Published, type ReleasePlan } from "./ReleasePlan.ts"

/** What is wrong, and what to do. */
export interface Problem {
  readonly what: string
  readonly fix: string
}

type Problems = ReadonlyArray<Problem>
type Environment = Readonly<Record<string, string | undefined>>

/** What is wrong with the release wherever it is run. */
export const ofPackages = (
  root: string,
  { packages, state, unreadable }: ReleasePlan,
  published: ReadonlyArray<Published>,
): Problems => [
  ...(unreadable === undefined ? [] : [{ what: unreadable, fix: "Mend the file in .changeset that it names." }]),
  ...(published.length > 0 ? [] : [{ what: "No package is published.", fix: "Is this the root of the workspace?" }]),
  ...versions(packages),
  ...(state === "versioned" ? packages.flatMap((each) => unwritten(root, each)) : []),
  ...published.flatMap((each) => [
    ...absent(root, each),
    ...hidden(each, published),
    ...lost(each),
    ...undeclared(each),
  ]),
]

const versions = (packages: ReadonlyArray<Planned>): Problems => {
  const all = [...new Set(packages.map(({ next }) => next))]
  const fix = "Keep all published packages in the fixed group of .changeset/config.json."
  return all.length < 2 ? [] : [{ what: `The packages would have several versions: ${all.join(", ")}.`, fix }]
}

const unwritten = (root: string, { directory, next }: Planned): Problems => {
  const never = { what: `${directory} has no version yet, and no changeset asks for one.`, fix: "Run pnpm changeset." }
  if (next === "0.0.0") return [never]
  const fix = "Let pnpm version-packages make versions."
  const what = `${directory}/CHANGELOG.md does not tell of ${next}.`
  return changelogOf(root, directory, next) === undefined ? [{ what, fix }] : []
}

const absent = (root: string, { directory }: Published): Problems =>
  ["README.md", "LICENSE"]
    .filter((file) => !existsSync(`${root}/${directory}/${file}`))
    .map((file) => ({ what: `${directory} has no ${file}.`, fix: `Write ${directory}/${file}: npm shows it.` }))

/** A dependency that nobody could install. */
const hidden = ({ manifest }: Published, published: ReadonlyArray<Published>): Problems =>
  Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter(([name, range]) => range.startsWith("workspace:") && !published.some((each) => each.manifest.name === name))
    .map(([name]) => ({
      what: `${manifest.name} depends on ${name}, which is private.`,
      fix: "Bundle it, and name it in devDependencies alone.",
    }))

/** Where a package says that it comes from. */
const sourceOf = ({ repository }: Manifest): { readonly url?: string; readonly directory?: string } =>
  typeof repository === "object" ? repository : { url: repository ?? "" }

const lost = ({ directory, manifest }: Published): Problems => {
  const { directory: named, url = "" } = sourceOf(manifest)
  const isOnGitHub = /^git\+https:\/\/github\.com\/[^/]+\/[^/]+\.git$/.test(url)
  const wrong = [
    ...(isOnGitHub ? [] : [`repository.url of ${directory} is not git+https://github.com/OWNER/NAME.git.`]),
    ...(named === directory ? [] : [`repository.directory of ${directory} is not its directory.`]),
  ]
  return wrong.map((what) => ({ what, fix: `Mend ${directory}/package.json.` }))
}

const undeclared = ({ directory, manifest: { license, publishConfig } }: Published): Problems => {
  const wrong = [
    ...(license === undefined ? [`${directory} names no license.`] : []),
    ...(publishConfig?.access === "public" ? [] : [`publishConfig.access of ${directory} is not public.`]),
    ...(publishConfig?.provenance === true ? [] : [`publishConfig.provenance of ${directory} is not true.`]),
  ]
  return wrong.map((what) => ({ what, fix: `Mend ${directory}/package.json.` }))
}

/** Packages that have been built, and whose API is not what their page says. */
export const ofApi = async (root: string, built: ReadonlyArray<Published>): Promise<Problems> => {
  const problems = await Promise.all(
    built.map(async (each) => {
      const change = await ApiReport.change(root, each)
      const what = `The API of ${each.manifest.name} is not the one in ${ApiReport.path(each)}.`
      return change === "" ? [] : [{ what, fix: "Run pnpm api, and commit what it writes." }]
    }),
  )
  return problems.flat()
}

/** What is in the way only here and now: a dry run tells of it, a release stops at it. */
export const ofPlace = (
  root: string,
  { state }: ReleasePlan,
  published: ReadonlyArray<Published>,
  environment: Environment,
): Problems => {
  const branch = environment["GITHUB_REF_NAME"] ?? git(root, ["rev-parse", "--abbrev-ref", "HEAD"])
  const main = baseBranch(root)
  const changed = git(root, ["status", "--porcelain"]).split("\n").filter(Boolean)
  const unversioned = { what: "No version was made of the changesets.", fix: "Merge the pull request of release.yml." }
  const elsewhere = { what: `This is ${branch}, not ${main}.`, fix: `Releases are made of ${main}.` }
  const files = `${changed.length} ${changed.length === 1 ? "file is" : "files are"}`
  const dirty = { what: `${files} changed or new: ${some(changed)}.`, fix: "Commit that, or undo it." }
  return [
    ...(state === "versioned" ? [] : [unversioned]),
    ...(branch === main ? [] : [elsewhere]),
    ...(changed.length === 0 ? [] : [dirty]),
    ...foreign(published, environment["GITHUB_REPOSITORY"]),
  ]
}

/** Whether this is a job that npm can ask where the packages come from. */
export const ofPublisher = (environment: Environment): Problems => {
  const unproven = { what: "Nobody here can say to npm where the packages come from.", fix: "Let release.yml publish." }
  return environment["ACTIONS_ID_TOKEN_REQUEST_URL"] === undefined ? [unproven] : []
}

/** npm refuses provenance for a package that says that it comes from elsewhere. */
const foreign = (published: ReadonlyArray<Published>, repository: string | undefined): Problems => {
  const due = `git+https://github.com/${repository}.git`
  const others = new Set(published.map(({ manifest }) => sourceOf(manifest).url ?? "").filter((url) => url !== due))
  if (repository === undefined || others.size === 0) return []
  const what = `This is ${repository}, and packages say that they come from ${[...others].join(", ")}.`
  return [{ what, fix: "Publish there, or mend repository.url of every package." }]
}

const baseBranch = (root: string): string =>
  (JSON.parse(readFileSync(`${root}/.changeset/config.json`, "utf8")) as { readonly baseBranch: string }).baseBranch

const git = (root: string, args: Array<string>): string => {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trimEnd()
  } catch {
    return "no git repository"
  }
}

const some = (changed: ReadonlyArray<string>): string =>
  changed.length > 3 ? `${paths(changed.slice(0, 3))} and more` : paths(changed)

const paths = (lines: ReadonlyArray<string>): string => lines.map((line) => line.slice(3)).join(", ")
