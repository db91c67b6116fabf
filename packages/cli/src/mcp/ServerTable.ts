/**
 * Prints servers of files as a table with fixes, or JSON, and returns the exit code.
 */
import { clean } from "@zain/command/PlainText"
import * as Effect from "effect/Effect"
import { type Finding, type Status, worst } from "../doctor/Finding.ts"
import * as FindingText from "../doctor/FindingText.ts"
import * as ReportRedaction from "../doctor/ReportRedaction.ts"
import type * as ServerSummary from "../doctor/ServerSummary.ts"
import * as Output from "../Output.ts"
import type { Variables } from "../SafePath.ts"
import type * as ServerFile from "./ServerFile.ts"
import * as Table from "./Table.ts"

/** A printed server. `report`: its probe, if it was checked. */
export interface Row {
  readonly name: string
  readonly file: string
  readonly path: string
  readonly transport: string
  readonly target: string
  readonly enabled: boolean
  readonly status: Status
  readonly findings: ReadonlyArray<Finding>
  readonly report?: ServerSummary.ServerSummary
}

/** The object that `--json` prints. Names are stable; members may be added. */
export interface Printed {
  readonly version: 1
  readonly status: Status
  readonly files: ReadonlyArray<{ readonly file: string; readonly servers: number; readonly error?: string }>
  readonly servers: ReadonlyArray<Row>
}

/** Formats rows as text. */
export type Form = (rows: ReadonlyArray<Row>, output: Output.Output) => string

/** Prints the result, and returns the exit code. */
export const print = Effect.fnUntraced(function* (
  read: ReadonlyArray<ServerFile.ServerFile>,
  rows: ReadonlyArray<Row>,
  env: Variables,
  json: boolean,
  form: Form,
) {
  const output = Output.of(process.stdout)
  const files = read.map(({ entries, error, file }) => ({
    ...{ file, servers: entries.length },
    ...(error === undefined ? {} : { error }),
  }))
  const isUnreadable = read.some(({ error }) => error !== undefined)
  const status = isUnreadable ? "problem" : worst(rows.flatMap(({ findings }) => findings))
  const shown = ReportRedaction.all<Printed>({ version: 1, status, files, servers: rows }, env)
  for (const { error, file } of shown.files) {
    if (error !== undefined) Output.of(process.stderr).print(`zain mcp: ${clean(file)}: ${clean(error)}\n`)
  }
  if (json) yield* output.write(FindingText.inJson(shown))
  else if (rows.length > 0 || !isUnreadable) yield* output.write(form(shown.servers, output))
  if (isUnreadable) return 2
  return status === "problem" ? 1 : 0
})

/** A table with these columns; the third is clipped. */
const form =
  (head: ReadonlyArray<string>, cells: (row: Row) => ReadonlyArray<string>): Form =>
  (rows, output) =>
    rows.length === 0
      ? "No servers.\n"
      : `${Table.inWords(head, rows.slice(0, maxServers).map(cells), 2, output)}${note(rows)}${advice(rows, output)}`

/** The table of `list`. */
export const listed = form(
  ["Name", "Transport", "Server", "From"],
  ({ enabled, file, name, path, target, transport }) => [
    enabled ? name : `${name} (off)`,
    transport,
    target,
    `${file}: ${path}`,
  ],
)

/** The table of `check`. */
export const checked = form(
  ["Name", "Status", "Server", "Tools", "Time"],
  ({ enabled, findings, name, report, status, target }) => [
    name,
    enabled && (report !== undefined || findings.length > 0) ? status : "off",
    target,
    toolsOf(report),
    report === undefined ? "" : `${Math.round(report.steps.reduce((sum, { millis }) => sum + millis, 0))} ms`,
  ],
)

/** The largest table; `--json` has all servers. */
const maxServers = 500
const note = (rows: ReadonlyArray<Row>) =>
  rows.length <= maxServers ? "" : `… and ${rows.length - maxServers} more; --json prints all.\n`

const toolsOf = (report: ServerSummary.ServerSummary | undefined): string => {
  const tools = report?.lists["tools"]
  return tools?.count === undefined ? "" : `${tools.count}${tools.complete === true ? "" : "+"}`
}

/** Problems and warnings, with fixes. */
const advice = (rows: ReadonlyArray<Row>, output: Output.Output): string => {
  const findings = rows.flatMap(({ findings }) => findings.filter(({ status }) => status !== "ok")).slice(0, maxServers)
  return findings.length === 0 ? "" : `\n${FindingText.groups(findings, output)}`
}
