/**
 * `zain mcp list` and `zain mcp check`.
 */
import { homedir } from "node:os"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { visibleLine } from "@zain/core/TerminalText"
import * as Environment from "@zain/process/Environment"
import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Finding, worst } from "../doctor/Finding.ts"
import * as ReportRedaction from "../doctor/ReportRedaction.ts"
import * as ServerCheck from "../doctor/ServerCheck.ts"
import * as ServerFindings from "../doctor/ServerFindings.ts"
import * as ServerSummary from "../doctor/ServerSummary.ts"
import * as Output from "../Output.ts"
import * as SafePath from "../SafePath.ts"
import * as StatusLine from "../StatusLine.ts"
import type { ServerEntry, Target } from "./ServerEntry.ts"
import * as ServerFile from "./ServerFile.ts"
import * as ServerTable from "./ServerTable.ts"

export interface ListAsked {
  readonly files: ReadonlyArray<string>
  readonly json: boolean
}

/** `timeout`: the limit of each step of a handshake, unless the file has one */
export interface CheckAsked extends ListAsked {
  readonly timeout: Duration.Duration
}

/** Parallel probes. Each is a process, and some install themselves first. */
const parallel = 4

/** Prints the servers of the files, and starts nothing. */
export const list = Effect.fnUntraced(function* ({ files, json }: ListAsked) {
  const { entries, env, read } = yield* open(files)
  const rows = entries.map((entry) => rowOf(entry, entry.findings))
  return yield* ServerTable.print(read, rows, env, json, ServerTable.listed)
})

/** Starts or connects to every server, and probes it. */
export const check = Effect.fnUntraced(function* ({ files, json, timeout }: CheckAsked) {
  const { entries, env, homeless, read, secrets } = yield* open(files)
  const stderr = Output.of(process.stderr)
  const rows = yield* Effect.scoped(
    Effect.gen(function* () {
      const status = yield* StatusLine.make(stderr)
      const under = new Set<string>()
      const say = () => (under.size === 0 ? status.clear() : status.show([...under].join(", ")))
      const one = Effect.fnUntraced(function* (entry: Entry) {
        if (!entry.isEnabled || entry.target === undefined) return rowOf(entry, entry.findings)
        status.clear()
        stderr.print(`${visibleLine(homeless(announcement(entry)))}\n`)
        under.add(entry.name)
        say()
        const report = yield* McpServerProbe.probe(configOf(entry.target, entry.timeout, timeout), {
          environment: passed(entry.target),
          secrets: [...secrets, ...entry.secrets],
        })
        under.delete(entry.name)
        say()
        const findings = [...entry.findings, ...ServerFindings.make(entry.subject, report, entry)]
        return rowOf(entry, findings, ServerSummary.make(entry.subject, report, entry.shown))
      })
      return yield* Effect.forEach(entries, one, { concurrency: parallel })
    }),
  )
  return yield* ServerTable.print(read, rows, env, json, ServerTable.checked)
})

const announcement = ({ name, shown, target }: ServerEntry) =>
  `${name}: ${target?.transport === "stdio" ? "starting" : "connecting to"} ${shown}`

const open = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const { env } = process
  const read = yield* Effect.forEach(files, (file) => ServerFile.read(file, env, process.cwd()))
  const entries = distinct(read.flatMap((file) => file.entries))
  return { read, entries, env, homeless: ReportRedaction.withoutHome(env), secrets: ReportRedaction.secretsOf(env) }
})

/** The subject of findings: the name, or name and place if two servers share the name. */
const distinct = (entries: ReadonlyArray<ServerEntry>): ReadonlyArray<Entry> => {
  const named = Map.groupBy(entries, ({ name }) => name)
  return entries.map((entry) => {
    const isAlone = named.get(entry.name)?.length === 1
    const subject = isAlone ? entry.name : `${entry.name} (${entry.file}: ${entry.path})`
    return { ...entry, subject, findings: entry.findings.map((one) => ({ ...one, subject })) }
  })
}

interface Entry extends ServerEntry {
  readonly subject: string
}

const configOf = (
  target: Target,
  seconds: number | undefined,
  timeout: Duration.Duration,
): McpConnectionConfig.McpConnectionConfig => {
  const own = seconds === undefined || seconds <= 0 ? timeout : Duration.seconds(seconds)
  const limits = ServerCheck.limits(own)
  if (target.transport !== "stdio") {
    const { headers, url } = target
    return target.transport === "sse"
      ? McpConnectionConfig.sse({ ...limits, url, headers })
      : McpConnectionConfig.streamableHttp({ ...limits, url, headers })
  }
  const { args, command, cwd, env } = target
  return McpConnectionConfig.stdio({ ...limits, command, args, cwd, env: { PATH: pathFor(cwd), ...env } })
}

/** Programs are searched neither in the working directory nor in the server's. */
const pathFor = (cwd: string): string => {
  const home = process.env["HOME"] ?? homedir()
  const { path } = SafePath.make(process.env, process.cwd(), home)
  return SafePath.make({ PATH: path }, cwd, home).path
}

const passed = (target: Target): ReadonlyArray<string> => [
  ...Environment.proxies,
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  ...(target.transport === "stdio" ? target.passed : []),
]

const rowOf = (
  { file, isEnabled, name, path, shown, transport }: ServerEntry,
  findings: ReadonlyArray<Finding>,
  report?: ServerSummary.ServerSummary,
): ServerTable.Row => ({
  ...{ name, file, path, transport, target: shown, enabled: isEnabled, status: worst(findings), findings },
  ...(report === undefined ? {} : { report }),
})
