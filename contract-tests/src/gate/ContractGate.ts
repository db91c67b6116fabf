/**
 * Judges whether reports of tests prove the contract, by subject and requirement.
 */
import * as ContractSubject from "../ContractSubject.ts"
import * as McpClientContractSuite from "../McpClientContractSuite.ts"
import * as Requirements from "../Requirements.ts"
import * as ContractNote from "./ContractNote.ts"
import { suiteVersion } from "./SuiteVersion.ts"
import type { ReportedCase, TestReport } from "./TestReport.ts"

/**
 * The judgement of a requirement:
 *
 * - `proven`: each of its cases passed
 * - `excused`: the subject is excused from at least one of its cases, and the others passed
 * - `missing`: one of its cases did not run
 * - `failed`: one of its cases failed
 *
 * `why` names the cases that did not pass, each with its reason.
 */
export interface Judged {
  readonly id: Requirements.RequirementId
  readonly behaviour: string
  readonly status: "proven" | "excused" | "missing" | "failed"
  readonly cases: ReadonlyArray<string>
  readonly why: ReadonlyArray<string>
}

/**
 * One run of the suite.
 *
 * - `problems`: why the run is not accepted, beside missing and failed requirements
 * - `excused`: the capabilities for which cases were skipped
 */
export interface JudgedSubject {
  readonly subject: string
  readonly provider: string
  readonly file: string
  readonly ok: boolean
  readonly problems: ReadonlyArray<string>
  readonly excused: ReadonlyArray<ContractSubject.Capability>
  readonly requirements: ReadonlyArray<Judged>
}

/** `problems`: what is wrong with the reports themselves. */
export interface Judgement {
  readonly ok: boolean
  readonly problems: ReadonlyArray<string>
  readonly subjects: ReadonlyArray<JudgedSubject>
}

/**
 * - `required`: capabilities from which no subject may be excused
 * - `subjects`: the names of runs that the reports must hold
 */
export interface Asked {
  readonly required: ReadonlyArray<ContractSubject.Capability>
  readonly subjects: ReadonlyArray<string>
}

/** A report and its path. */
export interface NamedReport {
  readonly name: string
  readonly report: TestReport
}

/** Judges reports. Each must hold at least one run of the suite. */
export const judge = (reports: ReadonlyArray<NamedReport>, { required, subjects: named }: Asked): Judgement => {
  const subjects = reports.flatMap(({ report }) => runsOf(report.cases).map((run) => judgeRun(run, required)))
  const problems = [
    ...reports.flatMap(({ name, report }) => [
      ...report.brokenFiles.map((file) => `${name}: a test file did not run. ${file}`),
      ...(report.cases.length > 0 ? [] : [`${name} holds no test of the contract suite. ${noSuite}`]),
    ]),
    ...named
      .map(ContractNote.clean)
      .filter((name) => !subjects.some(({ subject }) => subject === name))
      .map((name) => `No report holds a run of "${name}". Check that its test file exists and ran.`),
  ]
  return { ok: problems.length === 0 && subjects.every(({ ok }) => ok), problems, subjects }
}

const noSuite = `Call \`run\` of @zain/contract-tests/VitestRunner in a test file, and leave the key ${ContractNote.key} in the report's \`meta\`.`

/** The cases of each run; a subject in two files is two runs. */
const runsOf = (cases: ReadonlyArray<ReportedCase>) => [
  ...Map.groupBy(cases, ({ file, note }) => JSON.stringify([file, note.subject, note.provider])).values(),
]

/** A test of the suite: what it proves and needs by the suite's own data, and its entries in the reports. */
interface Tried {
  readonly id: string
  readonly verifies: ReadonlyArray<Requirements.RequirementId>
  readonly needs: ReadonlyArray<ContractSubject.Capability>
  readonly reports: ReadonlyArray<ReportedCase>
}

const tests: ReadonlyArray<Omit<Tried, "reports">> = [
  { id: ContractNote.soundness, verifies: [], needs: [] },
  ...McpClientContractSuite.cases.map(({ id, needs = [], verifies }) => ({ id, verifies, needs })),
]
const known: ReadonlySet<string> = new Set(tests.map(({ id }) => id))

const judgeRun = (
  cases: ReadonlyArray<ReportedCase>,
  required: ReadonlyArray<ContractSubject.Capability>,
): JudgedSubject => {
  const { file = "", note: { provider = "", subject = "" } = {} } = cases[0] ?? {}
  const tried = tests.map((test): Tried => {
    const reports = cases.filter(({ note }) => note.case === test.id)
    return { ...test, reports: reports.map((each) => withoutFalseExcuse(test.needs, each)) }
  })
  const own = Requirements.of(provider)
  const requirements = own.map((id) => judgeRequirement(id, tried))
  const isHeld = requirements.every(({ status }) => status === "proven" || status === "excused")
  const problems = [
    ...versions(cases),
    ...completeness(tried),
    ...strangers(cases),
    ...soundness(tried),
    ...others(tried, own),
    ...required.flatMap((capability) => lack(capability, tried)),
  ]
  const excused = new Set(tried.flatMap(({ needs, reports }) => reports.flatMap((each) => excuseOf(needs, each))))
  return {
    subject,
    provider,
    file,
    ok: problems.length === 0 && isHeld,
    problems,
    excused: [...excused],
    requirements,
  }
}

/** The capabilities for which a test was skipped: those it needs and the subject lacks. */
const excuseOf = (needs: Tried["needs"], { note, status }: ReportedCase): Tried["needs"] =>
  status === "skipped" ? needs.filter((capability) => note.lacks.includes(capability)) : []

/** A skipped test without an excuse counts as not run. */
const withoutFalseExcuse = (needs: Tried["needs"], each: ReportedCase): ReportedCase =>
  each.status !== "skipped" || excuseOf(needs, each).length > 0
    ? each
    : { ...each, status: "not-run", why: "was skipped, and nothing that it needs is missing" }

const judgeRequirement = (id: Requirements.RequirementId, tried: ReadonlyArray<Tried>): Judged => {
  const about = tried.filter(({ verifies }) => verifies.includes(id))
  const reports = about.flatMap((each) => each.reports)
  const has = (status: ReportedCase["status"]) => reports.some((each) => each.status === status)
  const isMissing = has("not-run") || about.some((each) => each.reports.length === 0) || about.length === 0
  const status = has("failed") ? "failed" : isMissing ? "missing" : has("skipped") ? "excused" : "proven"
  const { behaviour } = Requirements.get(id)
  return { id, behaviour, status, cases: about.map((each) => each.id), why: about.flatMap(notPassed) }
}

const notPassed = ({ id, reports }: Tried): ReadonlyArray<string> =>
  reports.length === 0
    ? [`${id}: is not in the report`]
    : reports.filter(({ status }) => status !== "passed").map((each) => `${id}: ${reason(each)}`)

const reason = ({ note, status, why }: ReportedCase): string =>
  status === "not-run" ? (why ?? "was not run") : status === "skipped" ? (note.excuse ?? "skipped") : (why ?? "failed")

const versions = (cases: ReadonlyArray<ReportedCase>): ReadonlyArray<string> => {
  const own = suiteVersion()
  const strange = new Set(cases.map(({ note }) => note.suite).filter((version) => version !== own))
  return [...strange].map((version) => `The suite that ran is ${version}, and this gate is ${own}. ${oneVersion}`)
}

const oneVersion = "Run suite and gate of one version."

/** The report must hold each test of the suite once. */
const completeness = (tried: ReadonlyArray<Tried>): ReadonlyArray<string> => {
  const found = tried.filter(({ reports }) => reports.length > 0).length
  const twice = tried.filter(({ reports }) => reports.length > 1).map(({ id }) => id)
  const due = tried.length
  const several = `${twice[0]}${twice.length > 1 ? ` and ${twice.length - 1} more` : ""} ran more than once.`
  return [
    ...(found === due ? [] : [`The report holds ${found} of the suite's ${due} tests.`]),
    ...(twice.length === 0 ? [] : [`${several} Give each run of a file a name of its own.`]),
  ]
}

const strangers = (cases: ReadonlyArray<ReportedCase>): ReadonlyArray<string> => {
  const strange = new Set(cases.map(({ note }) => note.case).filter((id) => !known.has(id)))
  return [...strange].map((id) => `${id} is no case of this version. ${oneVersion}`)
}

/** The result of the suite's own test of the subject: its excuses and its missing capabilities. */
const soundness = (tried: ReadonlyArray<Tried>): ReadonlyArray<string> => {
  const asked = tried.filter(({ id }) => id === ContractNote.soundness).flatMap(({ reports }) => reports)
  if (asked.length === 0)
    return [`The report has no ${ContractNote.soundness}: whether the subject is sound is unknown.`]
  return asked.filter(({ status }) => status !== "passed").map((each) => `The subject is not sound: ${reason(each)}`)
}

/** A case that proves only requirements of other providers must pass too. */
const others = (tried: ReadonlyArray<Tried>, own: ReadonlyArray<Requirements.RequirementId>): ReadonlyArray<string> =>
  tried
    .filter(({ id, verifies }) => id !== ContractNote.soundness && !verifies.some((each) => own.includes(each)))
    .flatMap(({ id, reports }) =>
      reports
        .filter(({ status }) => status === "failed" || status === "not-run")
        .map((each) => `${id}: ${reason(each)}`),
    )

const lack = (capability: ContractSubject.Capability, tried: ReadonlyArray<Tried>): ReadonlyArray<string> => {
  const needing = tried.filter(({ needs }) => needs.includes(capability)).flatMap(({ reports }) => reports)
  const excused = needing.find(({ note, status }) => status === "skipped" && note.lacks.includes(capability))
  if (excused !== undefined) return [`${capability} is required, but the subject ${excused.note.excuse}`]
  if (needing.some(({ status }) => status === "passed")) return []
  return [`${capability} is required, but no case that needs it has passed.`]
}

/** Returns whether a name is a capability. */
export const isCapability = (name: string): name is ContractSubject.Capability =>
  Object.hasOwn(ContractSubject.capabilities, name)
