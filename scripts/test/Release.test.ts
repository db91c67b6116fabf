import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ReleaseChecks from "../ReleaseChecks.ts"
import * as ReleasePlan from "../ReleasePlan.ts"
import type { DryRun } from "../ReleaseText.ts"
import * as ReleaseWorkspace from "./ReleaseWorkspace.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

let small: ReleaseWorkspace.Workspace
beforeEach(() => {
  small = ReleaseWorkspace.make()
})
afterEach(() => small.remove())

/** What a job of release.yml tells its steps. */
const inWorkflow = {
  GITHUB_REPOSITORY: "small/small",
  GITHUB_REF_NAME: "main",
  ACTIONS_ID_TOKEN_REQUEST_URL: "http://x",
}

const dryRun = async (environment?: NodeJS.ProcessEnv) => {
  const { code, stdout } = await small.release(["--dry-run", "--json"], environment)
  return { code, ...(JSON.parse(stdout) as DryRun) }
}

const whats = (problems: DryRun["problems"]) => problems.map(({ what }) => what)

describe("pnpm release --dry-run", () => {
  it("shows every published package, its next version, what is new in it and its tarball; changes nothing", async () => {
    const { code, here, packages, problems, version } = await dryRun(inWorkflow)
    expect({ code, version, problems }).toEqual({ code: 0, version: "0.1.0", problems: [] })
    expect(whats(here)).toEqual(["No version was made of the changesets."])
    expect(packages).toMatchObject([
      { name: "@small/one", directory: "packages/one", current: "0.0.0", next: "0.1.0", bump: "minor", tag: "latest" },
      { name: "@small/two", directory: "packages/two", current: "0.0.0", next: "0.1.0", bump: "minor", tag: "latest" },
    ])
    const [one, two] = packages
    expect(one?.notes.map(({ summary }) => summary).sort()).toEqual([
      "Both go together.",
      "One is there.\n\nIt does one thing.",
    ])
    expect(two?.notes.map(({ id }) => id)).toEqual(["both"])
    expect([...(one?.tarball?.files ?? [])].sort()).toEqual(["LICENSE", "README.md", "package.json"])
    expect(one?.tarball?.bytes).toBeGreaterThan(0)
    expect(small.changed()).toBe("")
  })

  it("says the same to people, and names what is not built", async () => {
    const { code, stdout } = await small.release(["--dry-run"])
    expect(code).toBe(0)
    expect(stdout).toContain("Release 0.1.0 of 2 packages")
    expect(stdout).toMatch(/^@small\/one +0\.0\.0 +0\.1\.0 +2 minor +latest +\d+\.\d KiB +3$/m)
    expect(stdout).toContain("@small/one, @small/two (.changeset/both.md)\n  Both go together.")
    expect(stdout).toContain("not built: @small/one (dist/index.js). Run pnpm build")
    expect(stdout).not.toContain("src/index.ts")
    expect(stdout).toContain("nothing was published, and nothing was changed")
  })

  it("tells what is in the way only here, and does not fail for it", async () => {
    small.write({ "packages/one/new.txt": "new" })
    const { code, here } = await dryRun({ GITHUB_REF_NAME: "7/merge" })
    expect(code).toBe(0)
    expect(whats(here)).toEqual([
      "No version was made of the changesets.",
      "This is 7/merge, not main.",
      "1 file is changed or new: packages/one/new.txt.",
      "Nobody here can say to npm where the packages come from.",
    ])
  })

  it.each([
    ["no README", { "packages/two/README.md": undefined }, "packages/two has no README.md."],
    ["no LICENSE", { "packages/two/LICENSE": undefined }, "packages/two has no LICENSE."],
    [
      "another repository",
      { "packages/one/package.json": ReleaseWorkspace.manifest("one", { repository: "https://example.com/one" }) },
      "repository.url of packages/one is not git+https://github.com/OWNER/NAME.git.",
    ],
    [
      "no provenance",
      { "packages/one/package.json": ReleaseWorkspace.manifest("one", { publishConfig: { access: "public" } }) },
      "publishConfig.provenance of packages/one is not true.",
    ],
    [
      "a dependency that nobody can install",
      {
        "packages/two/package.json": ReleaseWorkspace.manifest("two", {
          dependencies: { "@small/hidden": "workspace:^" },
        }),
      },
      "@small/two depends on @small/hidden, which is private.",
    ],
    [
      "a changeset for nobody",
      { ".changeset/nobody.md": '---\n"@small/nobody": minor\n---\n\nNobody.\n' },
      /@small\/nobody/,
    ],
    [
      "no changesets and no version",
      { ".changeset/one.md": undefined, ".changeset/both.md": undefined },
      "packages/one has no version yet, and no changeset asks for one.",
    ],
    [
      "versions that differ",
      {
        ".changeset/config.json": { baseBranch: "main" },
        "packages/one/package.json": ReleaseWorkspace.manifest("one", { version: "3.0.0" }),
      },
      "The packages would have several versions: 3.1.0, 0.1.0.",
    ],
  ])("fails for %s, and says what to do", async (_, files, what) => {
    small.write(files)
    small.commit()
    const { code, problems } = await dryRun(inWorkflow)
    expect(code).toBe(1)
    const found = problems.find((problem) =>
      typeof what === "string" ? problem.what === what : what.test(problem.what),
    )
    expect(found, JSON.stringify(problems)).toBeDefined()
    expect(found?.fix).toMatch(/\.$/)
  })

  it("tells a fork that it cannot publish, and does not fail for it", async () => {
    const { code, here } = await dryRun({ ...inWorkflow, GITHUB_REPOSITORY: "fork/small" })
    expect(code).toBe(0)
    const url = "git+https://github.com/small/small.git"
    expect(whats(here)).toContain(`This is fork/small, and packages say that they come from ${url}.`)
  })

  it("has nothing left to say once versions are made of the changesets", async () => {
    small.version()
    small.commit()
    const { code, here, packages, problems, state } = await dryRun(inWorkflow)
    expect({ code, here, problems, state }).toEqual({ code: 0, here: [], problems: [], state: "versioned" })
    expect(packages.map(({ next }) => next)).toEqual(["0.1.0", "0.1.0"])
    small.write({ "packages/two/CHANGELOG.md": undefined })
    expect(whats((await dryRun(inWorkflow)).problems)).toEqual(["packages/two/CHANGELOG.md does not tell of 0.1.0."])
  })
})

describe("pnpm release", () => {
  it("publishes nothing by itself", async () => {
    const { code, stderr, stdout } = await small.release([])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("Releases are made by release.yml.")
  })

  it("prints the notes of a version, each once", async () => {
    small.version()
    const { code, stdout } = await small.release(["--notes"])
    expect(code).toBe(0)
    expect(stdout).toContain("### `@small/one`, `@small/two`\n\nBoth go together.\n")
    expect(stdout).toContain("### `@small/one`\n\nOne is there.\n\nIt does one thing.\n")
    expect(stdout).not.toContain("Updated dependencies")
    expect(stdout.match(/Both go together/g)).toHaveLength(1)
  })

  it("wants no flag that it does not know", async () => {
    const { code, stderr } = await small.release(["--dryrun"])
    expect(code).toBe(1)
    expect(stderr).toContain("--dryrun")
  })
})

describe("the next release of this repository", () => {
  const published = ReleasePlan.published(root)

  it("gives every published package the same version, from changesets or a changelog", async () => {
    const plan = await ReleasePlan.read(root, published)
    expect(plan.unreadable).toBeUndefined()
    expect(published.length).toBeGreaterThan(0)
    expect(ReleaseChecks.ofPackages(root, plan, published)).toEqual([])
  })

  it("is told by pages of its own: no private package has a part in it", async () => {
    const { packages } = await ReleasePlan.read(root, published)
    const names = packages.map(({ name }) => name)
    expect(names).toContain("@zain/core")
    expect(names).not.toContain("@zain/tool-server")
  })

  it("is one fixed group, of public packages on main", () => {
    const config = JSON.parse(readFileSync(`${root}/.changeset/config.json`, "utf8"))
    expect(config).toMatchObject({ fixed: [["@zain/*"]], access: "public", baseBranch: "main", privatePackages: false })
  })

  it("passes pnpm check: what changesets and pnpm api write is nobody's to format", () => {
    const { files } = JSON.parse(readFileSync(`${root}/biome.json`, "utf8"))
    expect(files.includes).toEqual(expect.arrayContaining(["!**/CHANGELOG.md", "!**/api.md"]))
  })
})
