import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Judgement } from "../src/gate/ContractGate.ts"
import * as McpClientContractSuite from "../src/McpClientContractSuite.ts"
import * as Requirements from "../src/Requirements.ts"
import * as Reports from "./gate/Reports.ts"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
const directory = mkdtempSync(join(tmpdir(), "zain-gate-"))
afterAll(() => rmSync(directory, { recursive: true }))

const keep = (name: string, content: unknown): string => {
  const text = typeof content === "string" ? content : JSON.stringify(content)
  writeFileSync(join(directory, name), text)
  return name
}

/** What vitest wrote about one file alone. */
const only = (report: Reports.Report, file: string): Reports.Report => ({
  ...report,
  testResults: report.testResults.filter(({ name }) => name.endsWith(`/${file}.suite.ts`)),
})

const gate = (args: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) => Reports.gate(directory, args, env)

const judged = async (report: Reports.Report, args: ReadonlyArray<string> = []) => {
  const { code, stdout } = await gate([...args, "--json", keep("report.json", report)])
  return { code, ...(JSON.parse(stdout) as Judgement) }
}

let whole: Reports.Report
let filtered: Reports.Report
beforeAll(async () => {
  const file = (name: string) => join(directory, name)
  whole = await Reports.write(file("whole.json"))
  filtered = await Reports.write(file("filtered.json"), ["Sound.suite.ts", "-t", "rule|open|close"])
})

const ids = (judgement: Judgement, status: string) =>
  judgement.subjects
    .flatMap(({ requirements }) => requirements.filter((each) => each.status === status))
    .map(({ id }) => id)

describe("the gate on reports that vitest wrote", () => {
  it("is open for a client that passes the whole suite, even where tests are shuffled", async () => {
    const judgement = await judged(only(whole, "Sound"), ["--require", "approvals,events", "--require", "usage"])
    expect(judgement).toMatchObject({ code: 0, ok: true, problems: [] })
    expect(judgement.subjects).toMatchObject([{ subject: "parrot", provider: "parrot", ok: true, problems: [] }])
    expect(ids(judgement, "proven")).toEqual(Requirements.of("parrot"))
  })

  it("is open for a client with excuses, and says which they are", async () => {
    const judgement = await judged(only(whole, "Excused"))
    expect(judgement).toMatchObject({ code: 0, ok: true })
    expect(ids(judgement, "skipped")).toContain("approval.asked")
    const [subject] = judgement.subjects
    const asked = subject?.requirements.find(({ id }) => id === "approval.asked")
    expect(asked?.why.join("\n")).toContain("cannot approvals: A parrot asks | nobody.")
  })

  it("is closed for a client that is excused from what is required", async () => {
    const judgement = await judged(only(whole, "Excused"), ["--require", "events", "--require", "approvals"])
    expect(judgement).toMatchObject({ code: 1, ok: false })
    expect(judgement.subjects[0]?.problems).toEqual([
      "approvals is required, but the subject cannot approvals: A parrot asks | nobody.",
    ])
  })

  it("is closed for a client that breaks the contract, and names what it breaks", async () => {
    const judgement = await judged(only(whole, "Broken"))
    expect(judgement).toMatchObject({ code: 1, ok: false })
    expect(ids(judgement, "failed")).toContain("approval.approved")
    expect(ids(judgement, "failed")).not.toContain("1.1")
  })

  it("is closed for a client that broke once: a case gets no second chance, whatever vitest is told", async () => {
    const judgement = await judged(only(whole, "Flaky"))
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "failed")).not.toEqual([])
    expect(judgement.subjects[0]?.requirements.flatMap(({ why }) => why).join("\n")).toContain("Not today.")
  })

  it("is closed for a dead client where tests are told to fail: the suite turns that off", async () => {
    const judgement = await judged(only(whole, "Fails"))
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "proven")).toEqual([])
    const results = only(whole, "Fails").testResults.flatMap(({ assertionResults }) => assertionResults)
    const passed = results.filter(({ status, title }) => status === "passed" && !title.startsWith("the subject"))
    expect(passed).toEqual([])
  })

  it("is closed for a client from which a rejection or an exception escapes while a case runs", async () => {
    const judgement = await judged(only(whole, "Escaping"))
    expect(judgement.code).toBe(1)
    const why = judgement.subjects[0]?.requirements.flatMap((each) => each.why).join("\n")
    expect(why).toContain("A rejection escaped: Nobody waits for this.")
    expect(why).toContain("An exception escaped: Nobody catches this.")
    expect(judgement.subjects[0]?.problems.join("\n")).toContain("suite.whole: ")
  })

  it("is closed for two runs of one name in a file", async () => {
    const judgement = await judged(only(whole, "Twice"))
    expect(judgement).toMatchObject({ code: 1, subjects: [{ subject: "two parrots", ok: false }] })
    const more = McpClientContractSuite.cases.length
    expect(judgement.subjects[0]?.problems).toEqual([
      `subject.sound and ${more} more ran more than once. Give each run of a file a name of its own.`,
    ])
  })

  it("judges two subjects of one file, each by its own cases", async () => {
    const judgement = await judged(only(whole, "Pair"))
    expect(judgement.subjects).toMatchObject([
      { subject: "left", ok: true, problems: [] },
      { subject: ": :error::right | @one [x](y)  [31m", ok: true, problems: [] },
    ])
  })

  it("is closed where a run that is asked for is not there, although another one ran", async () => {
    const [sound, quiet] = [keep("a.json", only(whole, "Sound")), keep("b.json", only(whole, "Excused"))]
    const named = ["--subject", "parrot", "--subject", "quiet parrot"]
    expect(await gate([...named, sound, quiet])).toMatchObject({ code: 0 })
    const { code, stdout } = await gate([...named, sound])
    expect(code).toBe(1)
    expect(stdout).toContain('\nproblem  No report holds a run of "quiet parrot". Is its test file there?\n')
    expect(await gate(["--subject", "parr", sound])).toMatchObject({ code: 1 })
  })

  it("is closed for a subject that is not sound, however many cases pass", async () => {
    const judgement = await judged(only(whole, "Unsound"))
    expect(judgement.code).toBe(1)
    expect(judgement.subjects[0]?.problems.join("\n")).toContain("The subject is not sound")
  })

  it("is closed for a run that a filter has shortened: what was not run is missing", async () => {
    const judgement = await judged(filtered)
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "missing")).toContain("approval.asked")
    expect(judgement.subjects[0]?.requirements.flatMap(({ why }) => why).join("\n")).toContain("was not run")
  })

  it("is closed for tests that only look like the suite", async () => {
    const judgement = await judged(only(whole, "Other"))
    expect(judgement).toMatchObject({ code: 1, ok: false, subjects: [] })
    expect(judgement.problems.join("\n")).toContain("holds no test of the contract suite")
  })

  it("is closed where a test file could not be loaded, with its reason", async () => {
    const { testResults } = only(whole, "Unloadable")
    const judgement = await judged({ testResults: [...only(whole, "Sound").testResults, ...testResults] })
    expect(judgement).toMatchObject({ code: 1, subjects: [{ ok: true }] })
    expect(judgement.problems.join("\n")).toContain("This file cannot be loaded.")
  })

  it("judges every subject of every report, and one bad one closes it", async () => {
    const judgement = await judged(whole)
    expect(judgement.code).toBe(1)
    const states = judgement.subjects.map(({ ok, subject }) => [subject, ok])
    expect(Object.fromEntries(states)).toMatchObject({ parrot: true, "quiet parrot": true, "flaky parrot": false })
    const good = [keep("a.json", only(whole, "Sound")), keep("b.json", only(whole, "Excused"))]
    expect((await gate(good)).code).toBe(0)
    expect((await gate([...good, keep("c.json", only(whole, "Other"))])).code).toBe(1)
  })
})

type Assertion = Reports.Report["testResults"][number]["assertionResults"][number]

/** The report of a sound client, after somebody changed it. */
const changed = (change: (results: ReadonlyArray<Assertion>) => ReadonlyArray<Assertion>): Reports.Report => ({
  testResults: only(whole, "Sound").testResults.map((file) => ({
    ...file,
    assertionResults: change(file.assertionResults),
  })),
})

/** A test whose note says something else. */
const noted = (each: Assertion, more: object): Assertion => {
  const note = each.meta["zain/contract"]
  return typeof note === "object" ? { ...each, meta: { "zain/contract": { ...note, ...more } } } : each
}

describe("the gate on reports that are not what they should be", () => {
  it("misses a case that somebody took out, although another one proves the requirement", async () => {
    const cited = (id: string) =>
      McpClientContractSuite.cases.filter(({ verifies }) => verifies.some((each) => each === id))
    const [taken, ...others] = cited("rule-5.ends")
    expect(others).not.toEqual([])
    const judgement = await judged(changed((all) => all.filter(({ title }) => !title.startsWith(`${taken?.id}: `))))
    const due = McpClientContractSuite.cases.length + 1
    expect(judgement.code).toBe(1)
    expect(judgement.subjects[0]?.problems).toEqual([`The report holds ${due - 1} of the suite's ${due} tests.`])
  })

  it("counts a case that is about requirements of other providers alone", async () => {
    const isWhole = ({ title }: Assertion) => title.startsWith("suite.whole: ")
    const fails = changed((all) => all.map((each) => (isWhole(each) ? { ...each, status: "failed" } : each)))
    const judgement = await judged(fails)
    expect(judgement.code).toBe(1)
    expect(judgement.subjects[0]?.problems).toEqual(["suite.whole: failed"])
  })

  it("misses the question whether the subject is sound", async () => {
    const judgement = await judged(changed((all) => all.filter(({ title }) => !title.startsWith("the subject"))))
    expect(judgement.code).toBe(1)
    expect(judgement.subjects[0]?.problems.join("\n")).toContain("Nobody asked")
  })

  it("says that a reporter has left out the notes", async () => {
    const { code, stdout } = await gate([
      keep(
        "report.json",
        changed((all) => all.map((each) => ({ ...each, meta: {} }))),
      ),
    ])
    expect(code).toBe(1)
    expect(stdout).toContain("leave the key zain/contract in the report's `meta`")
  })

  it("asks for suite and gate of one version", async () => {
    const renamed = (each: Assertion): Assertion =>
      JSON.parse(JSON.stringify(each).replaceAll('"case":"disposal.ends-executes"', '"case":"disposal.new"'))
    const judgement = await judged(changed((all) => all.map(renamed)))
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "missing")).toContain("rule-8.disposal")
    expect(judgement.subjects[0]?.problems.join("\n")).toContain("disposal.new is no case of this version")
    const older = await judged(changed((all) => all.map((each) => noted(each, { suite: "0.0.1" }))))
    expect(older.code).toBe(1)
    expect(older.subjects[0]?.problems).toEqual([
      `The suite that ran is 0.0.1, and this gate is ${version}. Run suite and gate of one version.`,
    ])
    const unknown = await judged(changed((all) => all.map((each) => noted(each, { suite: undefined }))))
    expect(unknown.subjects[0]?.problems.join("\n")).toContain("The suite that ran is unknown")
  })

  it("believes the suite, not the report, as to what a case proves and how many there are", async () => {
    const [first] = McpClientContractSuite.cases
    const all = { verifies: Requirements.ids, needs: [], of: 2 }
    const two = changed((results) =>
      results
        .filter(({ title }) => title.startsWith("the subject") || title.startsWith(`${first?.id}: `))
        .map((each) => noted(each, all)),
    )
    const judgement = await judged(two)
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "proven").length).toBeLessThanOrEqual(first?.verifies.length ?? 0)
    expect(ids(judgement, "missing")).toContain("approval.asked")
  })

  it("excuses nobody from a case that needs nothing of what is missing", async () => {
    const skipped = (lacks: ReadonlyArray<string>) => (each: Assertion) =>
      each.title.startsWith("execute.answers: ")
        ? noted({ ...each, status: "skipped" }, { outcome: "skipped", excuse: "cannot be bothered", lacks })
        : each
    for (const lacks of [[], ["approvals"]]) {
      const judgement = await judged(changed((all) => all.map(skipped(lacks))))
      expect(judgement.code).toBe(1)
      expect(ids(judgement, "missing")).toContain("1.2")
      expect(judgement.subjects[0]?.requirements.flatMap(({ why }) => why)).toContain(
        "execute.answers: was skipped, and nothing that it needs is missing",
      )
    }
  })

  it("is closed where nothing is proven, whatever the report excuses", async () => {
    const everything = { outcome: "skipped", excuse: "cannot anything", lacks: [...McpClientContractSuite.needed] }
    const idle = changed((all) =>
      all.map((each) =>
        each.title.startsWith("the subject") ? each : noted({ ...each, status: "skipped" }, everything),
      ),
    )
    const judgement = await judged(idle)
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "proven")).toEqual([])
    expect(ids(judgement, "missing")).toContain("1.2")
  })

  it("wants report and suite to agree on how a case ended", async () => {
    for (const outcome of ["failed", "skipped", undefined]) {
      const turned = changed((all) =>
        all.map((each) => (each.title.startsWith("execute.answers: ") ? noted(each, { outcome }) : each)),
      )
      const judgement = await judged(turned)
      expect(judgement.code, outcome).toBe(1)
      expect(ids(judgement, "failed")).toContain("1.2")
      expect(judgement.subjects[0]?.requirements.flatMap(({ why }) => why).join("\n")).toContain(
        "execute.answers: it is reported as passed, and ",
      )
    }
    const unsure = changed((all) =>
      all.map((each) => (each.title.startsWith("the subject") ? noted(each, { outcome: "failed" }) : each)),
    )
    expect((await judged(unsure)).subjects[0]?.problems.join("\n")).toContain("The subject is not sound")
  })

  it("is closed where the soundness question or a case of other providers was not run", async () => {
    for (const [title, problem] of [
      ["the subject", "The subject is not sound: was not run"],
      ["suite.whole: ", "suite.whole: was not run"],
    ] as const) {
      const idle = changed((all) =>
        all.map((each) =>
          each.title.startsWith(title) ? noted({ ...each, status: "pending" }, { outcome: undefined }) : each,
        ),
      )
      const judgement = await judged(idle)
      expect(judgement.code).toBe(1)
      expect(judgement.subjects[0]?.problems).toEqual([problem])
    }
  })

  it("is closed where nothing that needs a required capability has passed", async () => {
    const needing = McpClientContractSuite.cases.filter(({ needs = [] }) => needs.includes("usage")).map(({ id }) => id)
    const failing = changed((all) =>
      all.map((each) =>
        needing.some((id) => each.title.startsWith(`${id}: `)) ? { ...each, status: "failed" } : each,
      ),
    )
    const judgement = await judged(failing, ["--require", "usage"])
    expect(judgement.subjects[0]?.problems).toContain("usage is required, but no case that needs it has passed.")
  })

  it.each([
    ["no JSON", '{"testResults": [', "it is no JSON"],
    ["no file", undefined, "cannot be read. Did the tests write it?"],
    ["another report", { suites: [] }, "no JSON report of vitest"],
    ["a half report", { testResults: [{ name: "x" }] }, "no `assertionResults`"],
    ["null", null, "no JSON report of vitest"],
  ])("ends with 2 where there is %s", async (_, content, message) => {
    const name = content === undefined ? "nowhere.json" : keep("report.json", content)
    const { code, stderr, stdout } = await gate([name])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`zain-contract-gate: ${name}`)
    expect(stderr).toContain(message)
  })

  it.each([
    [[], "no report is named"],
    [["--requires", "x"], "--requires"],
    [["--require", "flying", "x.json"], 'there is no capability "flying"'],
  ])("ends with 2 where it is used wrongly: %j", async (args, message) => {
    const { code, stderr } = await gate(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe("what the gate says", () => {
  it("is text, what needs attention first, on one line each", async () => {
    const failing = changed((all) =>
      all.map((each, index) =>
        index === 1 ? { ...each, status: "failed", failureMessages: ["\u001b[31mIt\r::error::fell\n  at x"] } : each,
      ),
    )
    const { code, stdout } = await gate([keep("report.json", failing)])
    expect(code).toBe(1)
    const [title, first = "", why = ""] = stdout.split("\n")
    expect(title).toMatch(/^parrot \(parrot\), .*Sound\.suite\.ts$/)
    expect(first).toMatch(/^ {2}failed {3}\S+: /)
    expect(why).toContain(" [31mIt ::error::fell")
    expect(stdout).toMatch(/The contract is not proven\.\n$/)
  })

  it("goes to the summary of a job on GitHub as a table, after what is there", async () => {
    const summary = join(directory, keep("summary.md", "before\n"))
    const report = keep("report.json", only(whole, "Excused"))
    const { code } = await gate([report], { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary })
    expect(code).toBe(0)
    const text = readFileSync(summary, "utf8")
    expect(text).toMatch(
      /^before\n### ✅ The contract is proven, but for \d+ requirements that quiet parrot is excused from/,
    )
    expect(text).toMatch(/\n\| ➖ skipped \| approval\.asked \|[^|]*\|[^|]*A parrot asks &#124; nobody\.[^|]*\|\n/)
    expect(text.split("\n").filter((line) => line.startsWith("| ✅ proven"))).not.toEqual([])
    const unwritable = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: directory }
    expect((await gate([report], unwritable)).code).toBe(0)
  })

  it("is that the contract is proven only as far as it is, and what is missing", async () => {
    const { stdout } = await gate([keep("report.json", only(whole, "Excused"))])
    const { requirements = [] } = (await judged(only(whole, "Excused"))).subjects[0] ?? {}
    const skipped = requirements.filter(({ status }) => status === "skipped").length
    const holes = `${skipped} requirements that quiet parrot is excused from (approvals, usage)`
    expect(stdout.endsWith(`\nThe contract is proven, but for ${holes}.\n`)).toBe(true)
    const sound = await gate([keep("report.json", only(whole, "Sound"))])
    expect(sound.stdout.endsWith("\nThe contract is proven.\n")).toBe(true)
  })

  it("is one line for each text of a test, cut, that steers no terminal, no runner and no table", async () => {
    const summary = join(directory, keep("summary.md", ""))
    const actions = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary }
    const { stdout } = await gate([keep("report.json", only(whole, "Pair"))], actions)
    expect(stdout).not.toMatch(/^\s*::|##\[|[^\P{Cc}\n]/mu)
    expect(stdout).toMatch(/^ {11}events\.usage: cannot usage: Nobody counts\. {1,2}::error::It/m)
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThan(600)
    const table = readFileSync(summary, "utf8")
    expect(table).toMatch(/^#### : :error::right &#124; &#64;one &#91;x&#93;\(y\)/m)
    const bad = keep("\u001b[31m::x.json", "{")
    expect((await gate([bad])).stderr).toContain("zain-contract-gate: [31m::x.json cannot be used")
    const failing = changed((all) =>
      all.map((each) => ({ ...each, status: "failed", failureMessages: ["x".repeat(10_000)] })),
    )
    for (const line of (await gate([keep("report.json", failing)])).stdout.split("\n")) {
      expect(line.length).toBeLessThan(600)
    }
  })

  it("is its help, with every capability, and its version", async () => {
    const help = await gate(["--help"])
    expect(help.code).toBe(0)
    for (const capability of McpClientContractSuite.needed) expect(help.stdout).toContain(`\n  ${capability} `)
    expect(await gate(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })
})
