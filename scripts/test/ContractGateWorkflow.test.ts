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

/** In milliseconds. */
const safetyLimit = 60_000

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "zain-third-party-"))
  const link = (name: string, target: string) => {
    const path = join(directory, "node_modules", name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(`${root}/${target}`, path)
  }
  link("@zain/core", "packages/core")
  link("@zain/contract-tests", "contract-tests")
  link("effect", "contract-tests/node_modules/effect")
  link("vitest", "contract-tests/node_modules/vitest")
  link(".bin/vitest", "contract-tests/node_modules/vitest/vitest.mjs")
  const gate = `exec "${process.execPath}" --conditions=zain-source "${root}/contract-tests/src/gate/zain-contract-gate.ts" "$@"`
  writeFileSync(join(directory, "node_modules/.bin/zain-contract-gate"), `#!/bin/sh\n${gate}\n`, { mode: 0o755 })
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

/** Runs a step as GitHub does, with what a caller gives and the defaults of the rest. */
const step = (name: string, given: Readonly<Record<string, string>> = {}) => {
  const { env = {}, run = "" } =
    (workflow.jobs.gate.steps as ReadonlyArray<Step>).find((each) => each.name === name) ?? {}
  const filled = Object.entries(env).map(([key, expression]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? ""
    return [key, given[input] ?? inputs[input]?.default]
  })
  const summary = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(directory, "summary.md") }
  return promisify(execFile)("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    cwd: directory,
    timeout: safetyLimit,
    env: { PATH: process.env["PATH"], HOME: directory, NO_COLOR: "1", ...summary, ...Object.fromEntries(filled) },
  }).then(
    ({ stderr, stdout }) => ({ code: 0, stdout, stderr }),
    ({ code, stderr, stdout }: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

const cleared = "No report of an earlier run counts"

describe("contract-gate.yml for a third party's client", { timeout: safetyLimit }, () => {
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
})
