#!/usr/bin/env node
/**
 * The command `zain-contract-gate`: exits with 0 only if reports of vitest prove the contract.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { parseArgs } from "node:util"
import * as ContractSubject from "../ContractSubject.ts"
import * as ContractGate from "./ContractGate.ts"
import * as ContractNote from "./ContractNote.ts"
import * as GateText from "./GateText.ts"
import { suiteVersion } from "./SuiteVersion.ts"
import * as TestReport from "./TestReport.ts"

const help = `zain-contract-gate [--require CAPABILITY]... [--subject NAME]... [--json] REPORT...

Reads reports of \`vitest run --reporter=json --outputFile=REPORT\`, and lists every
requirement of the contract as proven, excused (with the reason), missing or failed.

  --require CAPABILITY  no subject may be excused from it; separate several by commas
  --subject NAME        the reports must hold a run of this name
  --json                prints the judgement as JSON
  --version, --help

Exit code: 0 proven; 1 not proven, or a report without the suite; 2 wrong usage, or a
report that cannot be read. On GitHub a table is added to the summary of the job.
It detects mistakes; it does not detect code that falsifies its report.

Capabilities
${Object.entries(ContractSubject.capabilities)
  .map(([name, what]) => `  ${name.padEnd(17)} ${what}`)
  .join("\n")}

Example
  vitest run --reporter=json --outputFile=contract.json
  zain-contract-gate --require events,approvals contract.json
`

interface Said {
  readonly code: 0 | 1 | 2
  readonly out?: string
  readonly error?: string
  readonly summary?: string
}

const wrong = (message: string): Said => ({ code: 2, error: `zain-contract-gate: ${message}\n` })
const quoted = (name: string) => `"${ContractNote.clean(name)}"`

const gate = (args: ReadonlyArray<string>): Said => {
  const parsed = parse(args)
  if (typeof parsed === "string") return wrong(`${parsed}\n\n${help}`.trimEnd())
  const { names, required, values } = parsed
  if (values.help === true) return { code: 0, out: help }
  if (values.version === true) return { code: 0, out: `${suiteVersion()}\n` }
  if (names.length === 0) return wrong(`a report is required.\n\n${help}`.trimEnd())
  const strange = required.find((name) => !ContractGate.isCapability(name))
  if (strange !== undefined) return wrong(`unknown capability ${quoted(strange)}. --help lists them.`)
  const reports: Array<ContractGate.NamedReport> = []
  for (const path of names) {
    const text = textOf(path)
    const name = ContractNote.clean(path)
    if (text === undefined) return wrong(`${name} could not be read. Check that the tests wrote it.`)
    const report = TestReport.read(text)
    if (report._tag === "Unreadable") return wrong(`${name} is not a report: ${report.message}`)
    reports.push({ name, report })
  }
  const asked = { required: required.filter(ContractGate.isCapability), subjects: values.subject }
  const judgement = local(ContractGate.judge(reports, asked))
  return {
    code: judgement.ok ? 0 : 1,
    out: values.json === true ? `${JSON.stringify(judgement, null, 2)}\n` : GateText.text(judgement),
    summary: GateText.markdown(judgement),
  }
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        require: { type: "string", multiple: true, default: [] },
        subject: { type: "string", multiple: true, default: [] },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean" },
      },
    })
    const required = values.require.flatMap((names) => names.split(/[\s,]+/)).filter((name) => name !== "")
    return { names: positionals, required, values }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const textOf = (name: string): string | undefined => {
  try {
    return readFileSync(name, "utf8")
  } catch {
    return undefined
  }
}

/** Replaces the paths of test files by relative ones. */
const local = (judgement: ContractGate.Judgement): ContractGate.Judgement => ({
  ...judgement,
  subjects: judgement.subjects.map((each) => ({ ...each, file: relative(process.cwd(), each.file) })),
})

/** A summary that cannot be written does not change the exit code. */
const summarize = (summary: string) => {
  const path = process.env["GITHUB_ACTIONS"] === "true" ? process.env["GITHUB_STEP_SUMMARY"] : undefined
  if (path === undefined || path === "") return
  try {
    appendFileSync(path, summary)
  } catch (error) {
    process.stderr.write(`zain-contract-gate: the summary could not be written to ${path}: ${String(error)}\n`)
  }
}

const { code, error, out, summary } = gate(process.argv.slice(2))
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
if (summary !== undefined) summarize(summary)
if (out !== undefined) process.stdout.write(out)
if (error !== undefined) process.stderr.write(error)
process.exitCode = code
