/** The doctor's page, the oldest Node, and the directories in which programs are searched. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { kinds } from "../../src/doctor/Finding.ts"
import * as Platform from "../../src/doctor/Platform.ts"
import * as Version from "../../src/doctor/Version.ts"
import * as SafePath from "../../src/SafePath.ts"

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8")

describe("docs/guides/doctor.md", () => {
  it("has a heading for every kind of finding, and no other", () => {
    const [, findings = ""] = read("docs/guides/doctor.md").split("\n## Findings\n")
    const headings = [...findings.matchAll(/^### (.+)$/gm)].map(([, name]) => name)
    assert.deepStrictEqual(headings, [...kinds])
  })
})

describe("docs/guides/capabilities-none.md", () => {
  it("names findings of the doctor in its list", () => {
    const [list = ""] = read("docs/guides/capabilities-none.md").split("\n## ", 1)
    const named = [...list.matchAll(/^- .*$/gm)].flatMap(([item]) =>
      [...item.matchAll(/`(.+?)`/g)].map(([, name]) => name),
    )
    assert.isAbove(named.length, 5)
    for (const name of named) assert.include(kinds, name)
  })
})

describe("the oldest Node", () => {
  it("equals `engines.node` of package.json", () => {
    const { engines } = JSON.parse(read("packages/cli/package.json")) as { readonly engines: { readonly node: string } }
    assert.strictEqual(engines.node, `>=${Version.format(Platform.oldestNode)}`)
  })

  it.each([
    ["22.18.0", "problem"],
    ["22.19.0", "ok"],
    ["24.1.0", "ok"],
  ])("%s is %s", (node, status) => {
    assert.strictEqual(Platform.check(Platform.make("1.0.0", node)).status, status)
  })
})

describe("PATH without the working directory's entries (promise 18)", () => {
  const PATH = "/usr/local/bin:bin:/srv/app/bin:.:/srv/apple/bin:/usr/bin"

  it.each([
    ["/srv/app", "/usr/local/bin:/srv/apple/bin:/usr/bin"],
    ["/srv", "/usr/local/bin:/usr/bin"],
    ["/srv/app/bin", "/usr/local/bin:/srv/apple/bin:/usr/bin"],
    // These hold a home, or the system's programs.
    ["/home", "/usr/local/bin:/srv/app/bin:/srv/apple/bin:/usr/bin"],
    ["/usr", "/usr/local/bin:/srv/app/bin:/srv/apple/bin:/usr/bin"],
    ["/", "/usr/local/bin:/srv/app/bin:/srv/apple/bin:/usr/bin"],
  ])("from %s is %s", (cwd, path) => {
    assert.strictEqual(SafePath.make({ PATH }, cwd, "/home/me").path, path)
  })

  it("omits packages of directories above, except in the home; an empty entry is the working directory", () => {
    const PATH = "/srv/node_modules/.bin::/home/me/node_modules/.bin:/home/me/a/node_modules/.bin:/usr/bin"
    const { passedOver, path } = SafePath.make({ PATH }, "/srv/team/app", "/home/me")
    assert.strictEqual(path, "/home/me/node_modules/.bin:/home/me/a/node_modules/.bin:/usr/bin")
    assert.deepStrictEqual(passedOver, ["/srv/node_modules/.bin", "."])
    const own = SafePath.make({ PATH }, "/home/me/a/b", "/home/me")
    assert.strictEqual(own.path, "/srv/node_modules/.bin:/home/me/node_modules/.bin:/usr/bin")
  })
})
