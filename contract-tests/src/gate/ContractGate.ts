/**
 * Whether reports of tests prove the contract: per subject, what became of every requirement.
 */
import * as ContractSubject from "../ContractSubject.ts"
import * as Requirements from "../Requirements.ts"
import * as ContractNote from "./ContractNote.ts"
import type { ReportedCase, TestReport } from "./TestReport.ts"

/**
 * What became of a requirement:
 *
 * - `proven`: every case that is about it was run or excused, and at least one has passed
 * - `skipped`: the subject is excused from all of them
 * - `missing`: a case that is about it was not run
 * - `failed`: a case that is about it has failed
 *
 * `why` names the cases that did not pass, each with its reason.
 */
export interface Judged {
  readonly id: Requirements.RequirementId
  readonly behaviour: string
  readonly status: "proven" | "skipped" | "missing" | "failed"
  readonly cases: ReadonlyArray<string>
  readonly why: ReadonlyArray<string>
}

/** One run of the suite. `problems`: why the gate does not let it pass, beside what is missing or failed. */
export interface JudgedSubject {
  readonly subject: string
  readonly provider: string
  readonly file: string
  readonly ok: boolean
  readonly problems: ReadonlyArray<string>
  readonly requirements: ReadonlyArray<Judged>
}

/** `problems`: what is wrong with the reports as a whole. */
export interface Judgement {
  readonly ok: boolean
  readonly problems: ReadonlyArray<string>
  readonly subjects: ReadonlyArray<JudgedSubject>
}

/** A report, and what people call it. */
export interface NamedReport {
  readonly name: string
  readonly report: TestReport
}

/**
 * Judges reports. Each must hold at least one run of the suite.
 *
 * @param required capabilities that no subject may be excused from
 */
export const judge = (
  reports: ReadonlyArray<NamedReport>,
  required: ReadonlyArray<ContractSubject.Capability>,
): Judgement => {
  const problems = reports.flatMap(({ name, report }) => [
    ...report.brokenFiles.map((file) => `${name}: a test file could not be run. ${file}`),
    ...(report.cases.length > 0 ? [] : [`${name} holds no test of the contract suite. ${noSuite}`]),
  ])
  const subjects = reports.flatMap(({ report }) => runsOf(report.cases).map((run) => judgeRun(run, required)))
  return { ok: problems.length === 0 && subjects.every(({ ok }) => ok), problems, subjects }
}

const noSuite = `Call \`run\` of @zain/contract-tests/VitestRunner in a test file, and leave the key ${ContractNote.key} in the report's \`meta\`.`

/** The cases of each run; a subject that is tried in two files is two runs. */
const runsOf = (cases: ReadonlyArray<ReportedCase>) => [
  ...Map.groupBy(cases, ({ file, note }) => JSON.stringify([file, note.subject])).values(),
]

const judgeRun = (
  cases: ReadonlyArray<ReportedCase>,
  required: ReadonlyArray<ContractSubject.Capability>,
): JudgedSubject => {
  const { file = "", note: { provider = "", subject = "" } = {} } = cases[0] ?? {}
  const requirements = Requirements.of(provider).map((id) => judgeRequirement(id, cases))
  const problems = [
    ...completeness(cases),
    ...soundness(cases),
    ...strangers(cases),
    ...others(cases, requirements),
    ...required.flatMap((capability) => lack(capability, cases)),
  ]
  const isHeld = requirements.every(({ status }) => status === "proven" || status === "skipped")
  return { subject, provider, file, ok: problems.length === 0 && isHeld, problems, requirements }
}

const judgeRequirement = (id: Requirements.RequirementId, all: ReadonlyArray<ReportedCase>): Judged => {
  const cases = all.filter(({ note }) => note.verifies.includes(id))
  const has = (status: ReportedCase["status"]) => cases.some((each) => each.status === status)
  const isMissing = has("not-run") || cases.length === 0
  const status = has("failed") ? "failed" : isMissing ? "missing" : has("passed") ? "proven" : "skipped"
  const why = cases.filter((each) => each.status !== "passed").map((each) => `${each.note.case}: ${reason(each)}`)
  const { behaviour } = Requirements.get(id)
  return { id, behaviour, status, cases: cases.map(({ note }) => note.case), why }
}

const reason = ({ note, status, why }: ReportedCase) =>
  status === "not-run" ? "was not run" : (note.excuse ?? why ?? "failed")

/** A part of a suite proves nothing. */
const completeness = (cases: ReadonlyArray<ReportedCase>): ReadonlyArray<string> => {
  const found = new Set(cases.map(({ note }) => note.case)).size
  const due = Math.max(...cases.map(({ note }) => note.of))
  return found === due ? [] : [`The report holds ${found} of the suite's ${due} tests.`]
}

/** The suite's own question about the subject: is every excuse due, and is anything missing without one? */
const soundness = (cases: ReadonlyArray<ReportedCase>): ReadonlyArray<string> => {
  const asked = cases.filter(({ note }) => note.case === ContractNote.soundness)
  if (asked.length === 0) return ["Nobody asked whether the subject is sound."]
  return asked.filter(({ status }) => status !== "passed").map((each) => `The subject is not sound: ${reason(each)}`)
}

/** A case counts even where it is about requirements of other providers alone. */
const others = (cases: ReadonlyArray<ReportedCase>, requirements: ReadonlyArray<Judged>): ReadonlyArray<string> => {
  const told = new Set(requirements.flatMap((each) => each.cases)).add(ContractNote.soundness)
  return cases
    .filter(({ note, status }) => !told.has(note.case) && (status === "failed" || status === "not-run"))
    .map((each) => `${each.note.case}: ${reason(each)}`)
}

const strangers = (cases: ReadonlyArray<ReportedCase>): ReadonlyArray<string> => {
  const known: ReadonlySet<string> = new Set(Requirements.ids)
  const strange = new Set(cases.flatMap(({ note }) => note.verifies).filter((id) => !known.has(id)))
  return [...strange].map((id) => `${id} is no requirement of this version. Run suite and gate of one version.`)
}

const lack = (capability: ContractSubject.Capability, cases: ReadonlyArray<ReportedCase>): ReadonlyArray<string> => {
  const needing = cases.filter(({ note }) => note.needs.includes(capability))
  const excused = needing.find(({ note, status }) => status === "skipped" && note.lacks.includes(capability))
  if (excused !== undefined) return [`${capability} is required, but the subject ${excused.note.excuse}`]
  if (needing.some(({ status }) => status === "passed")) return []
  return [`${capability} is required, but no case that needs it has passed.`]
}

/** Whether a word is the name of a capability. */
export const isCapability = (name: string): name is ContractSubject.Capability =>
  Object.hasOwn(ContractSubject.capabilities, name)
