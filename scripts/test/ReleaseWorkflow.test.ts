/**
 * The steps of release.yml that ask GitHub, as they stand there, before a `gh` that remembers tags and releases.
 */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const { jobs } = parse(readFileSync(`${root}/.github/workflows/release.yml`, "utf8"))

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 240_000

let directory: string
const write = (files: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode: 0o755 })
  }
}

/** What the fake knows: its tags by name, and the names of its releases. */
interface Known {
  readonly tags: Readonly<Record<string, string>>
  readonly releases: ReadonlyArray<string>
}
const state = (): Known => JSON.parse(readFileSync(join(directory, "state.json"), "utf8"))
const knows = (known: Known) => write({ "state.json": JSON.stringify(known) })

const gh = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs")
const file = ${JSON.stringify("STATE")}
const state = JSON.parse(readFileSync(file, "utf8"))
const args = process.argv.slice(2)
const value = (name) => args.find((each) => each.startsWith(name + "="))?.slice(name.length + 1)
const path = args.find((each) => each.startsWith("repos/")) ?? ""
const tag = path.split("/tags/")[1]
const end = (code) => { writeFileSync(file, JSON.stringify(state)); process.exit(code) }
if (args[0] === "release" && args[1] === "view") end(state.releases.includes(args[2]) ? 0 : 1)
if (args[0] === "release" && args[1] === "create") {
  if (state.releases.includes(args[2])) end(1)
  readFileSync(args[args.indexOf("--notes-file") + 1])
  state.releases.push(args[2])
  state.tags[args[2]] ??= args[args.indexOf("--target") + 1]
  end(0)
}
if (args.includes("PATCH")) { if (!(tag in state.tags)) end(1); state.tags[tag] = value("sha"); end(0) }
if (args.includes("POST")) { state.tags[value("ref").replace("refs/tags/", "")] = value("sha"); end(0) }
if (tag in state.tags) { console.log(state.tags[tag]); end(0) }
end(1)
`

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "zain-release-workflow-"))
  write({
    "bin/gh": gh.replace("STATE", join(directory, "state.json")),
    "packages/core/package.json": '{ "version": "0.3.0" }',
    ".changeset/README.md": "# What changesets are\n",
    ".changeset/config.json": "{}",
    "release/notes.md": "Notes.\n",
    output: "",
  })
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Runs a step as GitHub does. */
const step = async (job: string, name: string) => {
  const { run } = jobs[job].steps.find((each: { readonly name?: string }) => each.name === name)
  const env = {
    PATH: `${directory}/bin:${process.env["PATH"]}`,
    GITHUB_REPOSITORY: "small/small",
    GITHUB_SHA: "new",
    GITHUB_OUTPUT: join(directory, "output"),
    RUNNER_TEMP: directory,
  }
  await promisify(execFile)("bash", ["--noprofile", "--norc", "-e", "-c", run], {
    cwd: directory,
    timeout: safetyLimit,
    env,
  })
}

const due = async () => {
  await step("state", "Due")
  return readFileSync(join(directory, "output"), "utf8")
}

describe("what is due", () => {
  it.each([
    ["nothing is known yet", { tags: {}, releases: [] }],
    ["a run ended before the release", { tags: { v0: "old" }, releases: [] }],
    ["a run ended before the tag was moved", { tags: { "v0.3.0": "new", v0: "old" }, releases: ["v0.3.0"] }],
    ["a run ended before the tag was made", { tags: { "v0.3.0": "new" }, releases: ["v0.3.0"] }],
  ])("is packages where %s; the README of changesets is none", async (_, known) => {
    knows(known)
    expect(await due()).toBe("due=packages\n")
  })

  it("is nothing where this version is released, and the tag that others call is at it", async () => {
    knows({ tags: { "v0.3.0": "some", v0: "some" }, releases: ["v0.3.0"] })
    expect(await due()).toBe("due=nothing\n")
  })

  it("is versions while there is a changeset, whatever is released", async () => {
    knows({ tags: { "v0.3.0": "some", v0: "some" }, releases: ["v0.3.0"] })
    write({ ".changeset/new.md": "---\n---\n" })
    expect(await due()).toBe("due=versions\n")
  })
})

describe("the release on GitHub", () => {
  const released = { tags: { "v0.3.0": "new", v0: "new" }, releases: ["v0.3.0"] }

  it.each([
    ["the first one", { tags: {}, releases: [] }],
    ["a later one", { tags: { v0: "old" }, releases: [] }],
    ["one that ended before the tag was moved", { tags: { "v0.3.0": "new", v0: "old" }, releases: ["v0.3.0"] }],
    ["one that ended before the tag was made", { tags: { "v0.3.0": "new" }, releases: ["v0.3.0"] }],
    ["one that is complete", released],
  ])("is there, with both tags, after %s", async (_, known) => {
    knows(known)
    await step("packages", "Release on GitHub")
    expect(state()).toEqual(released)
    expect(await due()).toBe("due=nothing\n")
  })

  it("moves the tag to what was released, not to what is on main by now", async () => {
    knows({ tags: { "v0.3.0": "earlier", v0: "old" }, releases: ["v0.3.0"] })
    await step("packages", "Release on GitHub")
    expect(state().tags["v0"]).toBe("earlier")
  })
})
