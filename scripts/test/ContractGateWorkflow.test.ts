/**
 * The steps of contract-gate.yml as they stand there, in a third party's directory that the test makes.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const workflow = parse(readFileSync(`${root}/.github/workflows/contract-gate.yml`, "utf8"))
const inputs: Readonly<Record<string, { readonly default: string }>> = workflow.on.workflow_call.inputs

interface Step {
  readonly name?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

/** In milliseconds. It only ends what hangs. */
const safetyLimit = 240_000

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "zain-third-party-"))
  const link = (name: string, target: string) => {
    const path = join(directory, "node_modules", name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(`${root}/${target}`, path)
  }
  const write = (name: string, content: string, mode = 0o644) => {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode })
  }
  link("@zain/core", "packages/core")
  link("@zain/contract-tests/src", "contract-tests/src")
  link("effect", "contract-tests/node_modules/effect")
  link("vitest", "contract-tests/node_modules/vitest")
  link(".bin/vitest", "contract-tests/node_modules/vitest/vitest.mjs")
  // The command as it is published, but from source.
  const gate = [process.execPath, "--conditions=zain-source", `${root}/contract-tests/src/gate/zain-contract-gate.ts`]
  const manifest = JSON.parse(readFileSync(`${root}/contract-tests/package.json`, "utf8"))
  write("node_modules/@zain/contract-tests/package.json", JSON.stringify(manifest))
  write(
    `node_modules/@zain/contract-tests/${manifest.bin["zain-contract-gate"]}`,
    `import { spawnSync } from "node:child_process"
const [node, ...args] = ${JSON.stringify(gate)}
process.exitCode = spawnSync(node, [...args, ...process.argv.slice(2)], { stdio: "inherit" }).status
`,
  )
  for (const file of ["Parrot.ts", "FiveLines.ts"]) {
    cpSync(
      `${root}/contract-tests/test/third-party/${file}`,
      join(directory, file.replace("FiveLines.ts", "Parrot.test.ts")),
    )
  }
  writeFileSync(join(directory, "package.json"), '{ "name": "parrot-client", "private": true, "type": "module" }')
  // What a third party has not: everything here runs from source.
  const resolve = 'resolve: { conditions: ["zain-source", "node", "import", "default"] }'
  writeFileSync(join(directory, "vitest.config.ts"), `export default { ${resolve}, ssr: { ${resolve} } }\n`)
})
afterEach(() => rmSync(directory, { recursive: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a step as GitHub does, with what a caller gives and the defaults of the rest. */
const step = (name: string, given: Readonly<Record<string, string>> = {}, left: NodeJS.ProcessEnv = {}) => {
  const { env = {}, run = "" } =
    (workflow.jobs.gate.steps as ReadonlyArray<Step>).find((each) => each.name === name) ?? {}
  const filled = Object.entries(env).map(([key, expression]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1]
    return [key, input === undefined ? expression : (given[input] ?? inputs[input]?.default)]
  })
  const summary = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(directory, "summary.md") }
  return promisify(execFile)("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    cwd: directory,
    timeout: safetyLimit,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: directory,
      NO_COLOR: "1",
      ...left,
      ...summary,
      ...Object.fromEntries(filled),
    },
  }).then(
    ({ stderr, stdout }): Ended => ({ code: 0, stdout, stderr }),
    (failed: Ended) => failed,
  )
}

const cleared = "No report of an earlier run counts"

describe("contract-gate.yml for a third party's client", () => {
  it("proves the contract with nothing but its defaults", async () => {
    expect(await step("Install", { install: "node --version" })).toMatchObject({ code: 0 })
    expect(await step(cleared)).toMatchObject({ code: 0 })
    expect(await step("Test")).toMatchObject({ code: 0 })
    const judged = await step("Judge")
    expect(judged, judged.stderr).toMatchObject({ code: 0 })
    expect(judged.stdout).toContain("The contract is proven.")
    expect(readFileSync(join(directory, "summary.md"), "utf8")).toContain("✅ The contract is proven")
    expect(await step("Judge", { require: "events,approvals" })).toMatchObject({ code: 0 })
  })

  it("lets no report of an earlier run, no run of half a suite and no empty run pass", async () => {
    expect(await step("Test")).toMatchObject({ code: 0 })
    expect(await step(cleared)).toMatchObject({ code: 0 })
    expect(await step("Test", { test: "true" })).toMatchObject({ code: 0 })
    expect(await step("Judge")).toMatchObject({ code: 2 })
    const test = inputs["test"]?.default ?? ""
    expect(await step("Test", { test: `${test} -t approvals` })).toMatchObject({ code: 0 })
    expect(await step("Judge")).toMatchObject({ code: 1 })
    expect(await step("Test", { test: `${test} --passWithNoTests nowhere` })).toMatchObject({ code: 0 })
    expect(await step("Judge")).toMatchObject({ code: 1 })
  })

  it("judges several reports, and one that is missing closes it", async () => {
    const test = "for name in a b; do npx --no-install vitest run --reporter=json --outputFile=$name.json; done"
    expect(await step("Test", { test })).toMatchObject({ code: 0 })
    expect(await step("Judge", { report: "a.json\n\nb.json" })).toMatchObject({ code: 0 })
    expect(await step("Judge", { report: "a.json\nc.json\n" })).toMatchObject({ code: 2 })
    expect(await step(cleared, { report: "a.json\nb.json\n" })).toMatchObject({ code: 0 })
    expect(await step("Judge", { report: "a.json" })).toMatchObject({ code: 2 })
  })

  it("judges nothing by what the judged directory has left: no command, no setting, no variable", async () => {
    const test = inputs["test"]?.default ?? ""
    expect(await step("Test", { test: `${test} -t approvals` })).toMatchObject({ code: 0 })
    const yes = join(directory, "yes.sh")
    writeFileSync(yes, "#!/bin/sh\nexit 0\n", { mode: 0o755 })
    writeFileSync(join(directory, ".npmrc"), `script-shell=${yes}\n`)
    cpSync(yes, join(directory, "node_modules/.bin/zain-contract-gate"))
    writeFileSync(join(directory, "yes.cjs"), "process.exit(0)\n")
    const required = `--require=${directory}/yes.cjs`
    for (const left of [{ BASH_ENV: yes }, { NODE_OPTIONS: required }, { npm_config_script_shell: yes }, {}])
      expect(await step("Judge", {}, left), JSON.stringify(left)).toMatchObject({ code: 1 })
  })

  it("is not green where a subject that must have been run is not there", async () => {
    expect(await step("Test")).toMatchObject({ code: 0 })
    expect(await step("Judge", { subjects: "parrot\n" })).toMatchObject({ code: 0 })
    const judged = await step("Judge", { subjects: "parrot\n\nparrot, over HTTP\n" })
    expect(judged).toMatchObject({ code: 1 })
    expect(judged.stdout).toContain('No report holds a run of "parrot, over HTTP".')
  })
})
