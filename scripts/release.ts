/**
 * `pnpm release --pack DIR` packs what `pnpm version-packages` has made versions of; `ReleasePublish.ts` publishes it.
 * `--dry-run` only shows it, needs no network, and changes nothing.
 */
import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as ReleaseChecks from "./ReleaseChecks.ts"
import * as ReleasePlan from "./ReleasePlan.ts"
import * as ReleaseTarballs from "./ReleaseTarballs.ts"
import * as ReleaseText from "./ReleaseText.ts"

const help = `pnpm release --dry-run [--json] | --notes | --pack DIR

  --dry-run   shows what would be published: versions, notes, tarballs, and what is in
              the way. Exits with 1 if the release itself is wrong; what is in the way
              only here, such as a changed file, is told and does no harm.
  --json      the same as JSON
  --notes     prints what the changelogs say about the version that is there
  --pack DIR  checks, builds, and packs what npm does not have yet into a new directory

release.yml publishes the tarballs, with provenance.
`

/** `pnpm release -- --dry-run` works as well. */
const args = process.argv.slice(2).filter((argument) => argument !== "--")
const root = process.cwd()

const dryRun = async (): Promise<ReleaseText.DryRun> => {
  const published = ReleasePlan.published(root)
  const plan = await ReleasePlan.read(root, published)
  const tarballs = await ReleaseTarballs.pack(root, published)
  const built = published.filter(({ manifest }) => tarballs.get(manifest.name)?.missing.length === 0)
  const [version, ...others] = new Set(plan.packages.map(({ next }) => next))
  return {
    state: plan.state,
    version: others.length === 0 ? version : undefined,
    packages: plan.packages.map((each) => ({ ...each, tarball: tarballs.get(each.name) })),
    problems: [...ReleaseChecks.ofPackages(root, plan, published), ...(await ReleaseChecks.ofApi(root, built))],
    here: [...ReleaseChecks.ofPlace(root, plan, published, process.env), ...ReleaseChecks.ofPublisher(process.env)],
  }
}

const run = (args: ReadonlyArray<string>): void => {
  process.stdout.write(`\n$ pnpm ${args.join(" ")}\n`)
  execFileSync("pnpm", args, { stdio: "inherit" })
}

/** Only this asks the registry: what npm has already is not packed. */
const pack = async (directory: string): Promise<number> => {
  const published = ReleasePlan.published(root)
  const plan = await ReleasePlan.read(root, published)
  const problems = [
    ...ReleaseChecks.ofPackages(root, plan, published),
    ...ReleaseChecks.ofPlace(root, plan, published, process.env),
  ]
  for (const problem of problems) process.stderr.write(`${ReleaseText.line("problem")(problem)}\n`)
  if (problems.length > 0) return 1
  run(["build"])
  run(["exec", "changeset", "pack", "--out-dir", resolve(directory)])
  return 0
}

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    args,
    options: {
      "dry-run": { type: "boolean" },
      json: { type: "boolean" },
      notes: { type: "boolean" },
      pack: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  })
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  if (values.notes === true) {
    const plan = await ReleasePlan.read(root, ReleasePlan.published(root))
    process.stdout.write(ReleaseText.notes(root, plan.packages))
    return 0
  }
  if (values.pack !== undefined) return pack(values.pack)
  if (values["dry-run"] !== true) {
    process.stderr.write(`release: Releases are made by release.yml.\n\n${help}`)
    return 1
  }
  const found = await dryRun()
  process.stdout.write(values.json === true ? `${JSON.stringify(found, null, 2)}\n` : ReleaseText.dryRun(found))
  return found.problems.length === 0 ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`release: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})
