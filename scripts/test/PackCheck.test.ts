import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Outputs from "../Outputs.ts"
import { published } from "../Published.ts"
import * as Alone from "../pack/Alone.ts"
import { problems } from "../pack/Content.ts"
import * as Nodes from "../pack/Nodes.ts"
import * as Project from "../pack/Project.ts"
import * as Steps from "../pack/Steps.ts"

const manifest = {
  name: "@zain/birds",
  exports: {
    ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
    "./Song": { types: "./dist/Song.d.ts", default: "./dist/Song.js" },
  },
  dependencies: { "@zain/core": "^0.0.0" },
  peerDependencies: { effect: "^4.1.0", vitest: "^5.1.0" },
  peerDependenciesMeta: { vitest: { optional: true } },
}

const map = (name: string) => JSON.stringify({ version: 3, sources: [`../src/${name}.ts`], mappings: "" })

const module = (name: string, code: string, declarations: string) => ({
  [`src/${name}.ts`]: code,
  [`dist/${name}.js`]: code,
  [`dist/${name}.js.map`]: map(name),
  [`dist/${name}.d.ts`]: declarations,
  [`dist/${name}.d.ts.map`]: map(name),
})

const root = "/home/somebody/zain"

/** A package without fault. Only its song needs vitest; nobody reaches its feather. */
const sound: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(manifest),
  LICENSE: "MIT",
  "README.md": "# @zain/birds",
  ...module(
    "index",
    'import "effect/Effect"\nimport "node:fs"\nexport * from "./Wing.js"',
    'export * from "./Wing.ts";',
  ),
  ...module("Wing", 'export { make } from "@zain/core"', 'export { make } from "@zain/core";'),
  ...module("Song", 'import "vitest"', 'import * as vitest from "vitest";\nexport type Song = vitest.Test;'),
  ...module("Feather", "", "export type Feather = 1;"),
}

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "zain-content-"))
})
afterEach(() => rmSync(directory, { recursive: true }))

const found = (files: Readonly<Record<string, string>>) => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return problems(directory, root)
}

const without = (missing: string) => Object.fromEntries(Object.entries(sound).filter(([path]) => path !== missing))

const manifestWith = (changes: object) => ({ ...sound, "package.json": JSON.stringify({ ...manifest, ...changes }) })

describe("what is in a package", () => {
  it("may be without fault", () => assert.deepStrictEqual(found(sound), []))

  it.each([
    ["no licence", without("LICENSE"), "LICENSE is missing"],
    ["no README", without("README.md"), "README.md is missing"],
    ["no declarations", without("dist/Wing.d.ts"), "dist/Wing.d.ts is missing"],
    ["no source map", without("dist/Wing.js.map"), "dist/Wing.js.map is missing"],
    ["no map of declarations", without("dist/Wing.d.ts.map"), "dist/Wing.d.ts.map is missing"],
    ["no source of a map", without("src/Wing.ts"), "dist/Wing.js.map leads to ../src/Wing.ts"],
    ["a module that was deleted since", { ...sound, "dist/Old.js": "" }, "src/Old.ts is missing"],
    ["a source that nothing was built of", { ...sound, "src/bin/New.ts": "" }, "dist/bin/New.js is missing"],
    [
      "an absolute source",
      { ...sound, "dist/Wing.js.map": map("Wing").replace("..", "/tmp") },
      "leads to /tmp/src/Wing.ts",
    ],
    ["a test", { ...sound, "src/Wing.test.ts": "" }, "src/Wing.test.ts is of no use"],
    ["a folder of tests", { ...sound, "test/Wing.ts": "" }, "test/Wing.ts is of no use"],
    ["a path of the workspace", { ...sound, "README.md": `see ${root}/docs` }, `README.md names ${root}`],
    [
      "a version of the workspace",
      manifestWith({ dependencies: { "@zain/core": "workspace:^" } }),
      "only the workspace knows",
    ],
    ["a version of the catalog", manifestWith({ devDependencies: { effect: "catalog:" } }), "only the workspace knows"],
    ["an import that nobody declares", manifestWith({ dependencies: {} }), "dist/Wing.js imports @zain/core"],
    ["one in place", { ...sound, "dist/Feather.js": 'await import("undici")' }, "dist/Feather.js imports undici"],
    [
      "one of types",
      { ...sound, "dist/Feather.d.ts": 'export type A = import("ws").A;' },
      "dist/Feather.d.ts imports ws",
    ],
    ["one of types, for itself", { ...sound, "dist/Feather.d.ts": 'import "ws";' }, "dist/Feather.d.ts imports ws"],
    ["one of a namespace", { ...sound, "dist/Feather.js": 'export * from "ws"' }, "dist/Feather.js imports ws"],
    ["vitest for everybody", { ...sound, "dist/Wing.js": 'import "./Song.js"' }, "dist/index.js leads to vitest"],
    [
      "vitest for all types",
      { ...sound, "dist/Wing.d.ts": 'export * from "./Song.ts";' },
      "dist/index.d.ts leads to vitest",
    ],
  ])("%s is told", (_, files, problem) => assert.include(found(files).join("\n"), problem))

  const where = (at: string, readme: string) => {
    found({ ...sound, "README.md": readme })
    return problems(directory, at)
  }

  it.each([
    ["/src", 'see "src/index.ts", ../src/index.ts and https://example.org/src/x'],
    [
      "/zain",
      "npm install @zain/core, https://github.com/zain-dev/zain#readme, https://github.com/zain-dev/zain/zain/x",
    ],
    ["/home/me/zain", "/home/me/zain-dev and /my/home/me/zain are elsewhere, and so is /home/me/zain.old"],
  ])("may lie in %s, for all that files say", (at, readme) => assert.deepStrictEqual(where(at, readme), []))

  it.each([
    ["/src", "cd /src/packages"],
    ["/src", "file:///src/packages/core/dist"],
    ["/zain", '{ "cwd": "/zain" }'],
    ["/home/me/zain", "(it is in /home/me/zain.)"],
    ["/home/me/zain", "--prefix=/home/me/zain"],
  ])("may not name %s itself: %s", (at, readme) => assert.deepStrictEqual(where(at, readme), [`README.md names ${at}`]))

  it("has of a bundle only what its commands lead to", () => {
    const bundled = {
      ...manifestWith({ bin: { sing: "./bin/sing.js" } }),
      "bin/THIRD-PARTY-NOTICES.txt": "MIT",
      "bin/sing.js": 'import "./chunk-A.js"\nawait import("./Doctor-1.js")',
      "bin/chunk-A.js": 'export * from "./inner/chunk-B.js"',
      "bin/inner/chunk-B.js": "",
      "bin/Doctor-1.js": "",
    }
    assert.deepStrictEqual(found(bundled), [])
    assert.deepStrictEqual(found({ "bin/Doctor-0.js": 'import "./chunk-A.js"' }), [
      "bin/Doctor-0.js is reached by no command: it was left over by an earlier build",
    ])
    const only = { name: "@zain/bird-cli", bin: { sing: "./dist/sing.js" } }
    rmSync(directory, { recursive: true })
    const command = { LICENSE: "MIT", "README.md": "#", "dist/THIRD-PARTY-NOTICES.txt": "MIT", "dist/sing.js": "" }
    assert.deepStrictEqual(found({ ...command, "package.json": JSON.stringify(only) }), [])
    assert.lengthOf(found({ "dist/old.js": "" }), 1)
  })

  it("has the licences of others beside a bundle", () => {
    const bundled = { ...manifestWith({ bin: { sing: "./bin/sing.js", wing: "./dist/Wing.js" } }), "bin/sing.js": "" }
    assert.deepStrictEqual(found(bundled), ["bin/THIRD-PARTY-NOTICES.txt is missing: the licences of what is bundled"])
    assert.deepStrictEqual(found({ "bin/THIRD-PARTY-NOTICES.txt": "MIT" }), [])
  })

  it("is what was built, or that is told", () => {
    const unbuilt = Object.fromEntries(Object.entries(sound).filter(([path]) => !path.startsWith("dist/")))
    assert.deepStrictEqual(found(unbuilt), ["dist is missing"])
  })

  it("may use the MCP SDK, as long as no declaration that others reach says so", () => {
    const dependencies = { ...manifest.dependencies, "@modelcontextprotocol/sdk": "1.32.2" }
    const sdk = 'import { Client } from "@modelcontextprotocol/sdk/client";\nexport type A = Client;'
    const files = {
      ...manifestWith({ dependencies }),
      "dist/Feather.d.ts": sdk,
      "dist/Wing.js": 'import "@modelcontextprotocol/sdk"',
    }
    assert.deepStrictEqual(found(files), [])
    assert.deepStrictEqual(found({ "dist/Wing.d.ts": sdk }), [
      "dist/index.d.ts names @modelcontextprotocol/sdk/client, which is no part of the API",
    ])
  })
})

describe("what is tried", () => {
  const workspace = fileURLToPath(new URL("../..", import.meta.url))
  const all = published(workspace)
  const engines = (node: string) => ({
    directory: "packages/birds",
    manifest: { name: "@zain/birds", engines: { node } },
  })

  it("is the oldest Node that the packages allow, and the current one", () => {
    assert.deepStrictEqual(Nodes.versions([engines(">=20.1.2"), engines(">=20.1.2")]), ["20.1.2", "24"])
    assert.deepStrictEqual(Nodes.versions([engines(">=20.1.2"), engines(">=21.0.0")]), ["20.1.2", "21.0.0", "24"])
    assert.throws(() => Nodes.versions([engines("*")]), "@zain/birds does not say which is the oldest Node")
    assert.lengthOf(Nodes.versions(all), 2)
  })

  it("is every compiler that the page promises", () => {
    const page = readFileSync(join(workspace, "docs/getting-started.md"), "utf8")
    const [oldest] = Project.olderCompilers
    assert.include(page, `TypeScript ${oldest} or newer`)
    const current = Number.parseInt(Project.versionOf(workspace, "typescript"), 10)
    const majors = Project.olderCompilers.map((version) => Number.parseInt(version, 10))
    const from = Number.parseInt(oldest ?? "", 10)
    assert.sameMembers(
      [...majors, current],
      Array.from({ length: current - from + 1 }, (_, index) => from + index),
    )
  })

  it("is, alone, each package that brings the servers of agents, with its peers", () => {
    const needing = all.filter(({ manifest }) => manifest.preferUnplugged === true)
    assert.sameDeepMembers(
      Alone.beginnings.map(({ beside, name }) => ({ name, beside })),
      needing.map(({ manifest: { name, peerDependencies = {} } }) => ({ name, beside: Object.keys(peerDependencies) })),
    )
  })
})

describe("what was built", () => {
  it("is taken away before each build, and nothing else is", () => {
    found({
      "turbo.json": JSON.stringify({ tasks: { build: { outputs: ["dist/**", "bin/**"] } } }),
      "package.json": "{}",
      "packages/birds/package.json": JSON.stringify(manifest),
      "packages/birds/src/index.ts": "",
      "packages/birds/dist/inner/Old.js": "",
      "packages/birds/bin/chunk.js": "",
      "packages/birds/prompts/one.txt": "",
    })
    Outputs.remove(directory)
    const left = ["src", "dist", "bin", "prompts"].filter((each) => existsSync(join(directory, "packages/birds", each)))
    assert.deepStrictEqual(left, ["src", "prompts"])
  })
})

describe("steps", () => {
  const lines: Array<string> = []
  const steps = Steps.make((line) => lines.push(line), new AbortController().signal)
  const node = (code: string) => steps.run(process.execPath, ["-e", code], { cwd: directory })
  beforeEach(() => void lines.splice(0))

  it("tell how they ended, and what came of them", async () => {
    const printed = await steps.step(
      "speak",
      () => node('console.log("word")'),
      (text) => text.trim(),
    )
    assert.strictEqual(printed, "word\n")
    assert.lengthOf(lines, 1)
    assert.match(lines[0] ?? "", /^✔ +\d+\.\d s {2}speak \(word\)$/)
  })

  it("tell what was printed when a program fails", async () => {
    const failing = 'console.log("out"); console.error("err"); process.exitCode = 3'
    const outcome = await steps.step("fail", () => node(failing)).then(String, String)
    assert.include(outcome, "err")
    assert.match(lines.join("\n"), /^✘ +\d+\.\d s {2}fail\n {4}\$ .*\n {4}out\n {4}\n {4}err$/)
  })

  it.each([
    ["at once", ""],
    ["with a code", 'process.once("SIGTERM", () => process.exit(3))'],
  ])("tell when a program took too long and was ended, which it does %s", async (_, way) => {
    const outcome = await steps
      .run(process.execPath, ["-e", `${way};setInterval(() => {}, 1000)`], { cwd: directory, seconds: 0.5 })
      .then(String, String)
    assert.match(outcome, /\nIt was ended after 0\.5 s\.$/)
  })

  it("all end before the first failure is told", async () => {
    const ended: Array<string> = []
    const work = (name: string, code: string) => async () => {
      await node(code).finally(() => ended.push(name))
    }
    const works = [work("bad", "process.exit(1)"), work("good", "setTimeout(() => {}, 300)")]
    assert.include(await Steps.all(works).then(String, String), "process.exit(1)")
    assert.sameMembers(ended, ["bad", "good"])
  })

  it("end with their programs when the check is interrupted", async () => {
    const ending = new AbortController()
    const started = Steps.make(() => {}, ending.signal).run(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
      cwd: directory,
    })
    ending.abort()
    const outcome = await started.then(String, String)
    assert.include(outcome, "aborted")
    assert.notInclude(outcome, "It was ended after")
  })
})
