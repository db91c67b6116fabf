import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ContractGate from "../src/gate/ContractGate.ts"
import * as GateText from "../src/gate/GateText.ts"
import * as TestReport from "../src/gate/TestReport.ts"
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

/** The part of a report about one file. */
const only = (report: Reports.Report, file: string): Reports.Report => ({
  ...report,
  testResults: report.testResults.filter(({ name }) => name.endsWith(`/${file}.suite.ts`)),
})

const gate = (args: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) => Reports.gate(directory, args, env)

const judged = (report: Reports.Report, required: ContractGate.Asked["required"] = []) => {
  const read = TestReport.read(JSON.stringify(report))
  if (read._tag === "Unreadable") throw new Error(read.message)
  return ContractGate.judge([{ name: "report.json", report: read }], { required, subjects: [] })
}

let whole: Reports.Report
beforeAll(async () => {
  whole = await Reports.write(join(directory, "whole.json"))
})

const ids = (judgement: ContractGate.Judgement, status: string) =>
  judgement.subjects
    .flatMap(({ requirements }) => requirements.filter((each) => each.status === status))
    .map(({ id }) => id)

type Assertion = Reports.Report["testResults"][number]["assertionResults"][number]

/** The report of a sound client, with a change. */
const changed = (change: (results: ReadonlyArray<Assertion>) => ReadonlyArray<Assertion>): Reports.Report => ({
  testResults: only(whole, "Sound").testResults.map((file) => ({
    ...file,
    assertionResults: change(file.assertionResults),
  })),
})

/** The same, with changes to the tests whose titles start so. */
const rewritten = (titles: ReadonlyArray<string>, rewrite: (each: Assertion) => Assertion) => () =>
  changed((all) => all.map((each) => (titles.some((title) => each.title.startsWith(title)) ? rewrite(each) : each)))

/** The same, without the tests whose titles start so. */
const without = (title: string) => () => changed((all) => all.filter((each) => !each.title.startsWith(title)))

/** A test with a changed note. */
const noted = (each: Assertion, more: object): Assertion => {
  const note = each.meta["zain/contract"]
  return typeof note === "object" ? { ...each, meta: { "zain/contract": { ...note, ...more } } } : each
}

const soundness = "the subject"
const answering = "execute.answers: "
const of = (file: string) => () => only(whole, file)
const { cases } = McpClientContractSuite
const everyCase = cases.map(({ id }) => `${id}: `)
const due = cases.length + 1
const unselected = everyCase.filter((title) => !title.startsWith("open."))
const needing = cases.filter(({ needs = [] }) => needs.includes("usage")).map(({ id }) => `${id}: `)
const [taken, ...others] = cases.filter(({ verifies }) => verifies.includes("rule-5.ends"))

/**
 * The expected parts of a judgement that is not ok.
 *
 * - `problems`: texts among all problems; `subject`: all problems of the first subject
 * - `why`: texts among the reasons of its requirements
 * - `has`, `hasNot`: a requirement and its status; `no`: a status that no requirement has
 */
interface Due {
  readonly problems?: ReadonlyArray<string>
  readonly subject?: ReadonlyArray<string>
  readonly why?: ReadonlyArray<string>
  readonly has?: readonly [id: string, status: string]
  readonly hasNot?: readonly [id: string, status: string]
  readonly no?: string
}

type Row = readonly [what: string, report: () => Reports.Report, due: Due, required?: ContractGate.Asked["required"]]

const closed: ReadonlyArray<Row> = [
  [
    "a client that is excused from a required capability",
    of("Excused"),
    { subject: ["approvals is required, but the subject cannot approvals: A parrot has | no approvals."] },
    ["events", "approvals"],
  ],
  [
    "a client that breaks the contract, and names the requirement",
    of("Broken"),
    { has: ["approval.approved", "failed"], hasNot: ["1.1", "failed"] },
  ],
  ["a client that failed once, although vitest retries", of("Flaky"), { why: ["Not today."] }],
  ["a broken client in tests with the option `fails`, which the suite overrides", of("Fails"), { no: "proven" }],
  [
    "a client from which a rejection or an exception escapes during a case",
    of("Escaping"),
    {
      why: ["A rejection escaped: A rejection without a handler.", "An exception escaped: An exception in a timer."],
      problems: ["suite.whole: "],
    },
  ],
  [
    "two runs with one name in a file",
    of("Twice"),
    {
      subject: [
        `subject.sound and ${cases.length} more ran more than once. Give each run of a file a name of its own.`,
      ],
    },
  ],
  ["a subject that is not sound, however many cases pass", of("Unsound"), { problems: ["The subject is not sound"] }],
  [
    "a run with a filter, whose other cases are missing",
    rewritten(unselected, (each) => noted({ ...each, status: "skipped" }, { outcome: undefined })),
    { has: ["approval.asked", "missing"], why: ["was not run"] },
  ],
  ["tests that only have the titles of the suite", of("Other"), { problems: ["holds no test of the contract suite"] }],
  [
    "a test file that could not be loaded, and names the reason",
    () => ({ testResults: [...of("Sound")().testResults, ...of("Unloadable")().testResults] }),
    { subject: [], problems: ["This file cannot be loaded."] },
  ],
  [
    "a case that was removed, although another one proves the requirement",
    without(`${taken?.id}: `),
    { subject: [`The report holds ${due - 1} of the suite's ${due} tests.`] },
  ],
  [
    "a failed case that proves only requirements of other providers",
    rewritten(["suite.whole: "], (each) => ({ ...each, status: "failed" })),
    { subject: ["suite.whole: failed"] },
  ],
  ["a report without the test of the subject", without(soundness), { problems: ["The report has no subject.sound"] }],
  [
    "a report without the notes",
    () => changed((all) => all.map((each) => ({ ...each, meta: {} }))),
    { problems: ["leave the key zain/contract in the report's `meta`"] },
  ],
  [
    "a case of another version",
    () =>
      changed((all) =>
        JSON.parse(JSON.stringify(all).replaceAll('"case":"disposal.ends-executes"', '"case":"disposal.new"')),
      ),
    { has: ["rule-8.disposal", "missing"], problems: ["disposal.new is no case of this version"] },
  ],
  [
    "a suite of another version",
    () => changed((all) => all.map((each) => noted(each, { suite: "0.0.1" }))),
    { subject: [`The suite that ran is 0.0.1, and this gate is ${version}. Run suite and gate of one version.`] },
  ],
  [
    "a suite of an unknown version",
    () => changed((all) => all.map((each) => noted(each, { suite: undefined }))),
    { problems: ["The suite that ran is unknown"] },
  ],
  ...[[], ["approvals"]].map(
    (lacks): Row => [
      `an excuse from a case that needs no missing capability: [${lacks}]`,
      rewritten([answering], (each) =>
        noted({ ...each, status: "skipped" }, { outcome: "skipped", excuse: "cannot be bothered", lacks }),
      ),
      { has: ["1.2", "missing"], why: ["execute.answers: was skipped, and nothing that it needs is missing"] },
    ],
  ),
  [
    "a report in which every case is excused",
    rewritten(everyCase, (each) =>
      noted(
        { ...each, status: "skipped" },
        { outcome: "skipped", excuse: "cannot anything", lacks: [...McpClientContractSuite.needed] },
      ),
    ),
    { no: "proven", has: ["1.2", "missing"] },
  ],
  ...["failed", "skipped", undefined].map(
    (outcome): Row => [
      `a case that is reported as passed with the outcome ${outcome} by the suite`,
      rewritten([answering], (each) => noted(each, { outcome })),
      { has: ["1.2", "failed"], why: ["execute.answers: it is reported as passed, and "] },
    ],
  ),
  [
    "a test of the subject with the outcome failed by the suite",
    rewritten([soundness], (each) => noted(each, { outcome: "failed" })),
    { problems: ["The subject is not sound"] },
  ],
  ...(
    [
      [soundness, "The subject is not sound: was not run"],
      ["suite.whole: ", "suite.whole: was not run"],
    ] as const
  ).map(
    ([title, problem]): Row => [
      `a report in which this did not run: ${title}`,
      rewritten([title], (each) => noted({ ...each, status: "pending" }, { outcome: undefined })),
      { subject: [problem] },
    ],
  ),
  [
    "a required capability without a case that passed",
    rewritten(needing, (each) => ({ ...each, status: "failed" })),
    { problems: ["usage is required, but no case that needs it has passed."] },
    ["usage"],
  ],
]

describe("the gate rejects", () => {
  it.each(closed.map(([what, ...row]) => ({ what, row })))("$what", ({ row: [report, expected, required] }) => {
    const judgement = judged(report(), required)
    const [first] = judgement.subjects
    const why = first?.requirements.flatMap((each) => each.why).join("\n") ?? ""
    const problems = [...judgement.problems, ...(first?.problems ?? [])].join("\n")
    expect(judgement.ok).toBe(false)
    if (expected.subject !== undefined) expect(first?.problems).toEqual(expected.subject)
    for (const text of expected.problems ?? []) expect(problems).toContain(text)
    for (const text of expected.why ?? []) expect(why).toContain(text)
    if (expected.has !== undefined) expect(ids(judgement, expected.has[1])).toContain(expected.has[0])
    if (expected.hasNot !== undefined) expect(ids(judgement, expected.hasNot[1])).not.toContain(expected.hasNot[0])
    if (expected.no !== undefined) expect(ids(judgement, expected.no)).toEqual([])
  })

  it("a broken client, of which no case is reported as passed", () => {
    const results = only(whole, "Fails").testResults.flatMap(({ assertionResults }) => assertionResults)
    expect(results.filter(({ status, title }) => status === "passed" && !title.startsWith(soundness))).toEqual([])
    expect(others).not.toEqual([])
  })
})

describe("the gate", () => {
  it("accepts a client that passes the whole suite, even if tests are shuffled", () => {
    const judgement = judged(only(whole, "Sound"), ["approvals", "events", "usage"])
    expect(judgement).toMatchObject({ ok: true, problems: [] })
    expect(judgement.subjects).toMatchObject([{ subject: "parrot", provider: "parrot", ok: true, problems: [] }])
    expect(ids(judgement, "proven")).toEqual(Requirements.of("parrot"))
  })

  it("accepts a client with excuses, and lists them", () => {
    const judgement = judged(only(whole, "Excused"))
    expect(judgement.ok).toBe(true)
    const [subject] = judgement.subjects
    const asked = subject?.requirements.find(({ id }) => id === "approval.asked")
    expect(asked?.status).toBe("excused")
    expect(asked?.why.join("\n")).toContain("cannot approvals: A parrot has | no approvals.")
  })

  it("judges a requirement as excused if one of its cases was excused, although another one passed", () => {
    const verifying = cases.filter(({ verifies }) => verifies.includes("thread.one-writer")).map(({ id }) => id)
    const elsewhere = cases.filter(({ id, needs }) => verifying.includes(id) && needs?.includes("elsewhere"))
    const titles = elsewhere.map(({ id }) => `${id}: `)
    const note = { outcome: "skipped", excuse: "cannot elsewhere: One server alone.", lacks: ["elsewhere"] }
    const excuse = rewritten(titles, (each) => noted({ ...each, status: "skipped" }, note))
    const judgement = judged(excuse())
    const judgedOne = judgement.subjects[0]?.requirements.find(({ id }) => id === "thread.one-writer")
    expect(judgement).toMatchObject({ ok: true, subjects: [{ excused: ["elsewhere"] }] })
    expect(elsewhere.length).toBeLessThan(verifying.length)
    expect(judgedOne).toMatchObject({ status: "excused", cases: verifying })
    expect(judgedOne?.why).toEqual(titles.map((title) => `${title}${note.excuse}`))
  })

  it("judges every subject of a report by its own cases", () => {
    expect(judged(only(whole, "Pair")).subjects).toMatchObject([
      { subject: "left", ok: true, problems: [] },
      { subject: ": :error::right | @one [x](y)  [31m", ok: true, problems: [] },
    ])
    const judgement = judged(whole)
    expect(judgement.ok).toBe(false)
    const states = judgement.subjects.map(({ ok, subject }) => [subject, ok])
    expect(Object.fromEntries(states)).toMatchObject({ parrot: true, "quiet parrot": true, "flaky parrot": false })
  })

  it("takes from the suite, not from the report, what a case proves and how many cases exist", () => {
    const [first] = cases
    const all = { verifies: Requirements.ids, needs: [], of: 2 }
    const two = changed((results) =>
      results
        .filter(({ title }) => title.startsWith(soundness) || title.startsWith(`${first?.id}: `))
        .map((each) => noted(each, all)),
    )
    const judgement = judged(two)
    expect(judgement.ok).toBe(false)
    expect(ids(judgement, "proven").length).toBeLessThanOrEqual(first?.verifies.length ?? 0)
    expect(ids(judgement, "missing")).toContain("approval.asked")
  })

  it.each([
    ["no JSON", '{"testResults": [', "it is no JSON"],
    ["one of another tool", '{ "suites": [] }', "no JSON report of vitest"],
    ["incomplete", '{ "testResults": [{ "name": "x" }] }', "no `assertionResults`"],
    ["null", "null", "no JSON report of vitest"],
  ])("cannot read a report that is %s", (_, text, message) => {
    expect(TestReport.read(text)).toMatchObject({ _tag: "Unreadable", message: expect.stringContaining(message) })
  })
})

describe("the command exits", () => {
  it("with 0 if every run of every report is proven, and with 1 if one that `--subject` names is missing", async () => {
    const [sound, quiet] = [keep("a.json", only(whole, "Sound")), keep("b.json", only(whole, "Excused"))]
    const named = ["--require", "events,resume", "--require", "peer-death", "--subject", "parrot"]
    const judgement = await gate([...named, "--subject", "quiet parrot", "--json", sound, quiet])
    expect(judgement.code).toBe(0)
    expect(JSON.parse(judgement.stdout)).toMatchObject({ ok: true, subjects: [{}, {}] })
    const { code, stdout } = await gate([...named, "--subject", "quiet parr", sound, quiet])
    expect(code).toBe(1)
    expect(stdout).toContain(
      '\nproblem  No report holds a run of "quiet parr". Check that its test file exists and ran.\n',
    )
  })

  it("with 1 if one of two reports is not proven", async () => {
    const good = keep("a.json", only(whole, "Sound"))
    expect((await gate([good, keep("c.json", only(whole, "Other"))])).code).toBe(1)
  })

  it.each([
    [["nowhere.json"], "nowhere.json could not be read. Check that the tests wrote it."],
    [["\u001b[31m::x.json"], "zain-contract-gate: [31m::x.json is not a report: it is no JSON"],
    [[], "a report is required"],
    [["--requires", "x"], "--requires"],
    [["--require", "flying", "x.json"], 'unknown capability "flying"'],
  ])("with 2 for the wrong usage %j", async (args, message) => {
    keep("\u001b[31m::x.json", "{")
    const { code, stderr, stdout } = await gate(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(message)
  })

  it("with 0 for `--help`, with every capability, and for `--version`", async () => {
    const help = await gate(["--help"])
    expect(help.code).toBe(0)
    for (const capability of McpClientContractSuite.needed) expect(help.stdout).toContain(`\n  ${capability} `)
    expect(await gate(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })
})

describe("the output of the gate", () => {
  it("lists requirements on one line each, failed ones first", () => {
    const failing = changed((all) =>
      all.map((each, index) =>
        index === 1 ? { ...each, status: "failed", failureMessages: ["\u001b[31mIt\r::error::fell\n  at x"] } : each,
      ),
    )
    const text = GateText.text(judged(failing))
    const [title, first = "", why = ""] = text.split("\n")
    expect(title).toMatch(/^parrot \(parrot\), .*Sound\.suite\.ts$/)
    expect(first).toMatch(/^ {2}failed {3}\S+: /)
    expect(why).toContain(" [31mIt ::error::fell")
    expect(text).toMatch(/The contract is not proven\.\n$/)
  })

  it("is appended as a table to the summary of a job on GitHub", async () => {
    const summary = join(directory, keep("summary.md", "before\n"))
    const report = keep("report.json", only(whole, "Excused"))
    const { code } = await gate([report], { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary })
    expect(code).toBe(0)
    const text = readFileSync(summary, "utf8")
    expect(text).toMatch(
      /^before\n### ✅ The contract is proven, but for \d+ requirements that quiet parrot is excused from/,
    )
    expect(text).toMatch(/\n\| ➖ excused \| approval\.asked \|[^|]*\|[^|]*A parrot has &#124; no approvals\.[^|]*\|\n/)
    expect(text.split("\n").filter((line) => line.startsWith("| ✅ proven"))).not.toEqual([])
    const unwritable = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: directory }
    expect((await gate([report], unwritable)).code).toBe(0)
  })

  it("names the requirements from which a subject is excused", () => {
    const judgement = judged(only(whole, "Excused"))
    const { requirements = [] } = judgement.subjects[0] ?? {}
    const excused = requirements.filter(({ status }) => status === "excused").length
    const holes = `${excused} requirements that quiet parrot is excused from, wholly or in part (approvals, usage)`
    expect(GateText.text(judgement).endsWith(`\nThe contract is proven, but for ${holes}.\n`)).toBe(true)
    expect(GateText.text(judged(only(whole, "Sound"))).endsWith("\nThe contract is proven.\n")).toBe(true)
  })

  it("shows each text of a test on one line, cut, without control of terminal, runner or table", () => {
    const pair = judged(only(whole, "Pair"))
    const text = GateText.text(pair)
    expect(text).not.toMatch(/^\s*::|##\[|[^\P{Cc}\n]/mu)
    expect(text).toMatch(/^ {11}events\.usage: cannot usage: No tokens\. {1,2}::error::It/m)
    expect(GateText.markdown(pair)).toMatch(/^#### : :error::right &#124; &#64;one &#91;x&#93;\(y\)/m)
    const failing = changed((all) =>
      all.map((each) => ({ ...each, status: "failed", failureMessages: ["x".repeat(10_000)] })),
    )
    for (const line of `${text}${GateText.text(judged(failing))}`.split("\n")) expect(line.length).toBeLessThan(600)
  })
})
