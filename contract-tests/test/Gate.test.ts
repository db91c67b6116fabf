import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Judgement } from "../src/gate/ContractGate.ts"
import * as McpClientContractSuite from "../src/McpClientContractSuite.ts"
import * as Requirements from "../src/Requirements.ts"
import * as Reports from "./gate/Reports.ts"

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
}, 120_000)

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
      JSON.parse(JSON.stringify(each).replaceAll('"rule-8.disposal"', '"rule-9.new"'))
    const judgement = await judged(changed((all) => all.map(renamed)))
    expect(judgement.code).toBe(1)
    expect(ids(judgement, "missing")).toEqual(["rule-8.disposal"])
    expect(judgement.subjects[0]?.problems.join("\n")).toContain("rule-9.new is no requirement of this version")
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
    expect(text).toMatch(/^before\n### ✅ The contract is proven\n/)
    expect(text).toMatch(/\n\| ➖ skipped \| approval\.asked \|[^|]*\|[^|]*A parrot asks &#124; nobody\.[^|]*\|\n/)
    expect(text.split("\n").filter((line) => line.startsWith("| ✅ proven"))).not.toEqual([])
    const unwritable = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: directory }
    expect((await gate([report], unwritable)).code).toBe(0)
  })

  it("is its help, with every capability, and its version", async () => {
    const help = await gate(["--help"])
    expect(help.code).toBe(0)
    for (const capability of McpClientContractSuite.needed) expect(help.stdout).toContain(`\n  ${capability} `)
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
    expect(await gate(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })
})
