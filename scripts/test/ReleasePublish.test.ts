import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as ReleaseRegistry from "./ReleaseRegistry.ts"
import * as ReleaseWorkspace from "./ReleaseWorkspace.ts"

const script = fileURLToPath(new URL("../ReleasePublish.ts", import.meta.url))
const changeset = fileURLToPath(new URL("../../node_modules/@changesets/cli/bin.js", import.meta.url))

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 240_000

let small: ReleaseWorkspace.Workspace
let registry: ReleaseRegistry.Registry
beforeEach(async () => {
  small = ReleaseWorkspace.make()
  mkdirSync(join(small.root, "node_modules/.bin"), { recursive: true })
  symlinkSync(changeset, join(small.root, "node_modules/.bin/changeset"))
  const build = "mkdir -p packages/one/dist && echo 1 > packages/one/dist/index.js"
  small.write({
    ".gitignore": "node_modules\ndist\n.cache\n.local\npnpm-lock.yaml\n",
    "package.json": { name: "small", private: true, version: "0.0.0", scripts: { build } },
  })
  small.version()
  small.commit()
  registry = await ReleaseRegistry.serve({})
})
afterEach(async () => {
  await registry.close()
  small.remove()
})

const inWorkflow = { GITHUB_REPOSITORY: "small/small", GITHUB_REF_NAME: "main" }

const pack = (known: ReleaseRegistry.Registry, environment: NodeJS.ProcessEnv = inWorkflow) =>
  small.release(["--pack", join(small.root, "node_modules/packed")], {
    ...environment,
    npm_config_registry: known.url,
    pnpm_config_registry: known.url,
  })

/** Publishes with an npm that writes down what it is told. */
const publish = async (npm = "", environment: NodeJS.ProcessEnv = { ACTIONS_ID_TOKEN_REQUEST_URL: "http://x" }) => {
  const bin = join(small.root, "node_modules/fake")
  mkdirSync(bin, { recursive: true })
  const log = join(bin, "log")
  writeFileSync(
    join(bin, "npm"),
    `#!/bin/sh\nif [ "$1" = config ]; then echo https://npm.example/; exit; fi\necho "$*" >> "${log}"\nenv > "${log}.env"\ncat "$npm_config_userconfig" 2> /dev/null >> "${log}.env" || true\n${npm}\n`,
    { mode: 0o755 },
  )
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: small.root, ...environment }
  const ended = await promisify(execFile)(process.execPath, [script, join(small.root, "node_modules/packed")], {
    env,
    timeout: safetyLimit,
  }).then(
    ({ stderr, stdout }) => ({ code: 0, stdout, stderr }),
    (error: ReleaseWorkspace.Ended) => error,
  )
  const told = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  return { ...ended, told, env: existsSync(`${log}.env`) ? readFileSync(`${log}.env`, "utf8") : "" }
}

/** What `changeset pack` leaves, with packages that stand after each other in its plan. */
const fill = (...names: ReadonlyArray<string>) => {
  mkdirSync(packed(), { recursive: true })
  const plan = names.map((name) => {
    const path = `packages/small-${name}-0.1.0.tgz`
    writeFileSync(join(packed(), "..", path), name)
    const integrity = `sha256-${createHash("sha256").update(name).digest("base64")}`
    const release = { kind: "publish", name: `@small/${name}`, version: "0.1.0", access: "public", tag: "latest" }
    return [{ ...release, tarball: { path, integrity } }]
  })
  writeFileSync(join(packed(), "../publish-plan.json"), JSON.stringify({ version: 1, plan }))
}

const packed = () => join(small.root, "node_modules/packed/packages")

describe("pnpm release --pack", () => {
  it("builds, and packs what npm does not have, in a job that may neither publish nor write", async () => {
    const { code, stderr } = await pack(registry)
    expect(code, stderr).toBe(0)
    expect(readdirSync(packed()).sort()).toEqual(["small-one-0.1.0.tgz", "small-two-0.1.0.tgz"])
    expect(registry.asked.every((each) => each.startsWith("GET "))).toBe(true)
    const { told } = await publish()
    expect(told.map((line) => line.split(" ")[1])).toEqual(
      ["one", "two"].map((name) => join(packed(), `small-${name}-0.1.0.tgz`)),
    )
  })

  it("refuses where anything is in the way, and asks nobody", async () => {
    small.write({ "packages/two/README.md": undefined })
    const { code, stderr } = await pack(registry, { ...inWorkflow, GITHUB_REF_NAME: "other" })
    expect(code).toBe(1)
    expect(stderr).toContain("problem: packages/two has no README.md.")
    expect(stderr).toContain("problem: This is other, not main.")
    expect(stderr).toContain("problem: 1 file is changed or new")
    expect(registry.asked).toEqual([])
  })

  it("leaves alone what is published already", async () => {
    const known = await ReleaseRegistry.serve({ "@small/one": "0.1.0" })
    try {
      expect((await pack(known)).code).toBe(0)
      expect(readdirSync(packed())).toEqual(["small-two-0.1.0.tgz"])
    } finally {
      await known.close()
    }
  })
})

describe("node scripts/ReleasePublish.ts", () => {
  it("publishes the tarballs as they are, dependencies first, with provenance and without a script", async () => {
    fill("one", "two")
    const { code, stdout, told } = await publish()
    expect(code).toBe(0)
    expect(told).toEqual(
      ["one", "two"].map(
        (name) =>
          `publish ${packed()}/small-${name}-0.1.0.tgz --provenance --ignore-scripts --access public --tag latest`,
      ),
    )
    expect(stdout).toBe("@small/one@0.1.0 is published.\n@small/two@0.1.0 is published.\n")
  })

  it("gives npm a token only where there is one, for its registry only", async () => {
    fill("one", "two")
    const job = { ACTIONS_ID_TOKEN_REQUEST_URL: "http://x" }
    expect((await publish("", job)).env).not.toContain("_authToken")
    const { env } = await publish("", { ...job, NPM_TOKEN: "npm_dummy" })
    expect(env).toContain(`\n//npm.example/:_authToken=${"$"}{NPM_TOKEN}\n`)
    const [, place = ""] = /^npm_config_userconfig=(.+)$/m.exec(env) ?? []
    expect(existsSync(dirname(place))).toBe(false)
  })

  it("goes on after what is published already, and stops at anything else", async () => {
    fill("one", "two")
    const again =
      'case "$*" in *one-*) echo "npm error 403 You cannot publish over the previously published versions: 0.1.0." >&2; exit 1;; esac'
    const halfway = await publish(again)
    expect(halfway).toMatchObject({ code: 0 })
    expect(halfway.stdout).toBe("@small/one@0.1.0 was published already.\n@small/two@0.1.0 is published.\n")
    const refused = await publish('echo "npm error 401" >&2; exit 1')
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain("@small/one@0.1.0 was not published. npm error 401")
  })

  it("publishes no tarball that is another than the one that was packed", async () => {
    fill("one", "two")
    writeFileSync(join(packed(), "small-two-0.1.0.tgz"), "another")
    const { code, stderr, told } = await publish()
    expect({ code, told }).toEqual({ code: 1, told: [] })
    expect(stderr).toContain("small-two-0.1.0.tgz is not the tarball that was packed")
  })

  it("refuses on any other machine, and without tarballs", async () => {
    fill("one", "two")
    const elsewhere = await publish("", {})
    expect(elsewhere).toMatchObject({ code: 1, told: [] })
    expect(elsewhere.stderr).toContain("Nobody here can say to npm where the packages come from.")
    fill()
    expect(await publish()).toMatchObject({ code: 0, told: [], stdout: "Everything is published already.\n" })
  })

  it("needs Node and npm only: no package of others runs where npm trusts every program", () => {
    const imports = [...readFileSync(script, "utf8").matchAll(/from "([^"]+)"/g)].map(([, name]) => name ?? "")
    expect(imports.length).toBeGreaterThan(0)
    expect(imports.filter((name) => !name.startsWith("node:"))).toEqual([])
  })
})
