import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { getReleasePlan } from "@changesets/get-release-plan"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { isBundle, isLibrary, published } from "../Published.ts"
import { olderCompilers } from "../pack/Consumer.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")

const repository = "https://github.com/zain-dev/zain"
const license = text("LICENSE")
const { catalog }: { readonly catalog: Readonly<Record<string, string>> } = parse(text("pnpm-workspace.yaml"))

/** `json`: the whole manifest. */
const packages = published(root).map((each) => ({
  ...each,
  name: each.manifest.name,
  json: { ...each.manifest } as Readonly<Record<string, unknown>>,
}))
const names = packages.map(({ name }) => name)

/** What every package.json says, word for word. */
const fixed = (directory: string): Readonly<Record<string, unknown>> => ({
  license: "MIT",
  type: "module",
  homepage: `${repository}/tree/main/${directory}#readme`,
  repository: { type: "git", url: `git+${repository}.git`, directory },
  bugs: { url: `${repository}/issues` },
  engines: { node: ">=22.19.0" },
  publishConfig: { access: "public", provenance: true },
})

describe.each(packages)("$name", ({ directory, json, manifest, name }) => {
  const { bin = {}, dependencies = {}, devDependencies = {}, exports = {}, peerDependencies = {} } = manifest
  const library = isLibrary({ directory, manifest })
  const bundle = isBundle({ directory, manifest })

  it("has the members that every package shares", () => assert.deepInclude(json, fixed(directory)))

  it("has a description, keywords and links", () => {
    assert.match(String(json["description"]), /^[A-Z].{20,120}\.$/)
    assert.includeMembers(json["keywords"] as Array<string>, ["mcp", "coding-agent"])
  })

  it("is published with its build; a library that is no bundle with its sources too, for source maps", () => {
    const files = json["files"] as Array<string>
    assert.includeMembers(files, library && !bundle ? ["dist", "src"] : ["dist"])
    for (const file of files) assert.notInclude(["LICENSE", "README.md", "package.json"], file, "npm takes it along")
  })

  it("has no install scripts", () => assert.deepStrictEqual(Object.keys(json["scripts"] ?? {}), ["build"]))

  // What runs when it is imported, as a command does, must not be left out by a bundler.
  it(library ? "has no side effects" : "leaves open whether it has side effects", () => {
    assert.strictEqual(json["sideEffects"], library ? false : undefined)
    assert.strictEqual(exports["./package.json"], "./package.json")
  })

  it("depends on the other packages of this release", () => {
    for (const [one, range] of Object.entries({ ...peerDependencies, ...dependencies })) {
      if (one.startsWith("@zain/")) assert.strictEqual(range, "workspace:^")
    }
  })

  it("allows newer patches of its dependencies, from the tested version on", () => {
    const others = Object.entries(dependencies).filter(([one]) => !one.startsWith("@zain/"))
    for (const [one, range] of others) assert.strictEqual(range, `^${catalog[one]}`, one)
  })

  // Yarn keeps packages in archives, which a program cannot be started from.
  it("is unpacked by Yarn if an agent's server is started from its files", () => {
    const isCommand = "@zain/agent-list" in devDependencies && Object.keys(bin).length > 0
    const hasServer =
      isCommand || Object.values(exports).some((target) => Object.hasOwn(Object(target), "zain-bundled"))
    assert.strictEqual(json["preferUnplugged"], hasServer ? true : undefined)
  })

  it("requires the tested versions of peers, and none older", () => {
    if (library && !bundle) assert.property(peerDependencies, "effect")
    assert.notProperty(dependencies, "effect", "two copies of effect do not know each other's values")
    for (const [peer, range] of Object.entries(peerDependencies)) {
      const isOurs = names.includes(peer)
      assert.strictEqual(range, isOurs ? "workspace:^" : `^${catalog[peer]}`)
      assert.strictEqual(devDependencies[peer], isOurs ? "workspace:^" : "catalog:")
    }
  })

  it("contains the repository's licence", () => assert.strictEqual(text(`${directory}/LICENSE`), license))

  it("has install and use at the beginning of its README", () => {
    const lines = text(`${directory}/README.md`).split("\n")
    assert.strictEqual(lines[0], `# ${name}`)
    const start = lines.findIndex((line) => /^npm install\b/.test(line) && line.includes(name))
    assert.isTrue(start > 0 && start <= 12, "npm install … within the first 12 lines")
    const use = lines.slice(start + 1, start + 12).join("\n")
    assert.match(use, library && Object.keys(bin).length === 0 ? /from "@zain\// : /^[a-z-]+ /m)
  })

  it("has a page of its API, on which no declaration names the MCP SDK", () => {
    assert.isTrue(existsSync(`${root}/${directory}/api.md`), "Run pnpm api.")
    assert.notInclude(text(`${directory}/api.md`), '"@modelcontextprotocol/sdk')
  })
})

describe("the next release", () => {
  it("gives every published package one version", async () => {
    const { releases } = await getReleasePlan(root)
    const next = new Map(releases.map(({ name, newVersion }) => [name, newVersion]))
    const versions = packages.map(({ manifest, name }) => next.get(name) ?? manifest.version)
    assert.lengthOf(new Set(versions), 1)
    assert.notInclude(versions, "0.0.0")
  })

  it("does not format files that changesets and `pnpm api` write", () => {
    assert.includeMembers(JSON.parse(text("biome.json")).files.includes, ["!**/CHANGELOG.md", "!**/api.md"])
  })
})

describe("what is built", () => {
  it("contains no file of an earlier build", () => {
    const { scripts } = JSON.parse(text("package.json"))
    for (const name of ["build", "pack:check", "api", "release:pack"])
      assert.match(scripts[name], /^node scripts\/build\.ts( && |$)/)
    assert.notInclude(Object.values(scripts).join("\n"), "turbo run build")
  })
})

it("is compiled with every compiler that the page promises", () => {
  const [oldest] = olderCompilers
  assert.include(text("docs/get-started/promises.md"), `TypeScript ${oldest} or newer`)
  const majors = [...olderCompilers, catalog["typescript"] ?? ""].map((version) => Number.parseInt(version, 10))
  const gapless = majors.map((_, at) => (majors[0] ?? 0) + at)
  assert.deepStrictEqual(majors, gapless)
})
