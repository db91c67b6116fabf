/**
 * Runs the steps of contract-gate.yml in a third party's directory that the test makes.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import * as Programs from "../../e2e/src/Programs.ts"

const { root } = Programs
const workflow = parse(readFileSync(`${root}/.github/workflows/contract-gate.yml`, "utf8"))
const inputs: Readonly<Record<string, { readonly default: string }>> = workflow.on.workflow_call.inputs

interface Step {
  readonly name?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

const test = inputs["test"]?.default ?? ""

/** The limit of a step, in ms. */
const safetyTimeoutMillis = 240_000

let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "zain-third-party-"))
  const at = (name: string) => {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true })
    return path
  }
  const link = (name: string, target: string) => symlinkSync(`${root}/${target}`, at(`node_modules/${name}`))
  link("@zain/core", "packages/core")
  link("@zain/contract-tests/src", "contract-tests/src")
  link("effect", "contract-tests/node_modules/effect")
  link("vitest", "contract-tests/node_modules/vitest")
  link(".bin/vitest", "contract-tests/node_modules/vitest/vitest.mjs")
  // The command as it is published, but from source.
  cpSync(`${root}/contract-tests/package.json`, at("node_modules/@zain/contract-tests/package.json"))
  const { bin } = JSON.parse(readFileSync(`${root}/contract-tests/package.json`, "utf8"))
  const gate = [process.execPath, "--conditions=zain-source", `${root}/contract-tests/src/gate/zain-contract-gate.ts`]
  writeFileSync(
    at(`node_modules/@zain/contract-tests/${bin["zain-contract-gate"]}`),
    `import { spawnSync } from "node:child_process"
const [node, ...args] = ${JSON.stringify(gate)}
process.exitCode = spawnSync(node, [...args, ...process.argv.slice(2)], { stdio: "inherit" }).status
`,
  )
  const written = { Parrot: "Parrot", ParrotThreads: "ParrotThreads", FiveLines: "Parrot.test" }
  for (const [from, to] of Object.entries(written))
    cpSync(`${root}/contract-tests/test/third-party/${from}.ts`, at(`${to}.ts`))
  writeFileSync(at("package.json"), '{ "name": "parrot-client", "private": true, "type": "module" }')
  // A third party does not need this: here everything runs from source.
  const resolve = 'resolve: { conditions: ["zain-source", "node", "import", "default"] }'
  writeFileSync(at("vitest.config.ts"), `export default { ${resolve}, ssr: { ${resolve} } }\n`)
  for (const [report, filter] of [
    ["whole.json", ""],
    ["partial.json", "-t approvals"],
  ] as const) {
    expect(await step("Test", { test: `${test} ${filter}` })).toMatchObject({ exitCode: 0 })
    cpSync(at("contract-report.json"), at(report))
  }
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Runs a step as GitHub does, with what a caller gives and the defaults of the rest. */
const step = (name: string, given: Readonly<Record<string, string>> = {}, left: NodeJS.ProcessEnv = {}) => {
  const steps: ReadonlyArray<Step> = workflow.jobs.gate.steps
  const { env = {}, run = "" } = steps.find((each) => each.name === name) ?? {}
  const filled = Object.entries(env).map(([key, expression]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1]
    return [key, input === undefined ? expression : (given[input] ?? inputs[input]?.default)]
  })
  const around = { ...Programs.environment, HOME: directory, NO_COLOR: "1", ...left }
  const github = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(directory, "summary.md") }
  const bash = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    cwd: directory,
    timeout: safetyTimeoutMillis,
    env: { ...around, ...github, ...Object.fromEntries(filled) },
  })
  return Programs.end(bash)
}

const cleared = "No report of an earlier run counts"

describe("contract-gate.yml for a third party's client", () => {
  it("proves the contract with its defaults, and fails if a required subject was not run", async () => {
    expect(await step("Install", { install: "node --version" })).toMatchObject({ exitCode: 0 })
    expect(await step("Test", { test: "cp whole.json contract-report.json" })).toMatchObject({ exitCode: 0 })
    const judged = await step("Judge")
    expect(judged, judged.stderr).toMatchObject({ exitCode: 0 })
    expect(judged.stdout).toContain("The contract is proven.")
    expect(readFileSync(join(directory, "summary.md"), "utf8")).toContain("✅ The contract is proven")
    expect(await step("Judge", { require: "events,approvals", subjects: "parrot\n" })).toMatchObject({ exitCode: 0 })
    const missing = await step("Judge", { subjects: "parrot\n\nparrot, over HTTP\n" })
    expect(missing).toMatchObject({ exitCode: 1 })
    expect(missing.stdout).toContain('No report holds a run of "parrot, over HTTP".')
  })

  it("rejects a report of an earlier run, a partial run and an empty run", async () => {
    cpSync(join(directory, "whole.json"), join(directory, "contract-report.json"))
    expect(await step(cleared)).toMatchObject({ exitCode: 0 })
    expect(await step("Judge")).toMatchObject({ exitCode: 2 })
    expect(await step("Judge", { report: "partial.json" })).toMatchObject({ exitCode: 1 })
    expect(await step("Test", { test: `${test} --passWithNoTests nowhere` })).toMatchObject({ exitCode: 0 })
    expect(await step("Judge")).toMatchObject({ exitCode: 1 })
  })

  it("checks several reports, and fails if one is missing", async () => {
    expect(await step("Test", { test: "cp whole.json a.json && cp a.json b.json" })).toMatchObject({ exitCode: 0 })
    expect(await step("Judge", { report: "a.json\n\nb.json" })).toMatchObject({ exitCode: 0 })
    expect(await step("Judge", { report: "a.json\nc.json\n" })).toMatchObject({ exitCode: 2 })
    expect(await step(cleared, { report: "a.json\nb.json\n" })).toMatchObject({ exitCode: 0 })
    expect(await step("Judge", { report: "a.json" })).toMatchObject({ exitCode: 2 })
  })

  it("ignores commands, settings and variables of the checked directory", async () => {
    onTestFinished(() => {
      for (const name of ["yes.sh", ".npmrc", "node_modules/.bin/zain-contract-gate", "yes.cjs"])
        rmSync(join(directory, name), { force: true })
    })
    const yes = join(directory, "yes.sh")
    writeFileSync(yes, "#!/bin/sh\nexit 0\n", { mode: 0o755 })
    writeFileSync(join(directory, ".npmrc"), `script-shell=${yes}\n`)
    cpSync(yes, join(directory, "node_modules/.bin/zain-contract-gate"))
    writeFileSync(join(directory, "yes.cjs"), "process.exit(0)\n")
    const required = `--require=${directory}/yes.cjs`
    for (const left of [{ BASH_ENV: yes }, { NODE_OPTIONS: required }, { npm_config_script_shell: yes }, {}])
      expect(await step("Judge", { report: "partial.json" }, left), JSON.stringify(left)).toMatchObject({ exitCode: 1 })
  })
})
