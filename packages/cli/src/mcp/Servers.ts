/**
 * `zain mcp list`, `zain mcp check` and `zain mcp call`.
 */
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import type { Agent } from "@zain/agent-list/Agent"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import { visible, visibleLine } from "@zain/core/TerminalText"
import * as Environment from "@zain/process/Environment"
import * as McpServerProbe from "@zain/sdk-client/McpServerProbe"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Finding, worst } from "../doctor/Finding.ts"
import * as FindingText from "../doctor/FindingText.ts"
import * as ReportRedaction from "../doctor/ReportRedaction.ts"
import * as ServerCheck from "../doctor/ServerCheck.ts"
import * as ServerFindings from "../doctor/ServerFindings.ts"
import * as ServerSummary from "../doctor/ServerSummary.ts"
import { harmless } from "../ExactText.ts"
import * as Output from "../Output.ts"
import * as SafePath from "../SafePath.ts"
import * as StatusLine from "../StatusLine.ts"
import * as WrongUsage from "../WrongUsage.ts"
import { noServers, type ServerEntry, type Target } from "./ServerEntry.ts"
import * as ServerFile from "./ServerFile.ts"
import * as ServerTable from "./ServerTable.ts"

/** `files`: those in which servers are looked for if it is empty are `found` */
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

/** Files of projects, for agents and editors. */
const ofProject = [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"]

/** Prints the servers of the files, or of those that agents and editors read in this directory. Starts nothing. */
export const list = Effect.fnUntraced(function* ({ files, json }: ListAsked, agents: ReadonlyArray<Agent>) {
  const { entries, env, read } = files.length > 0 ? yield* open(files) : yield* discover(agents)
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
        announce(entry, homeless, stderr)
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

/** Prints what is started, before it starts. */
const announce = (
  { name, shown, target }: ServerEntry,
  homeless: (text: string) => string,
  { print }: Output.Output,
): void => {
  const what = target?.transport === "stdio" ? "starting" : "connecting to"
  print(`${visibleLine(homeless(`${name}: ${what} ${shown}`))}\n`)
}

/** What is called: a tool, with a JSON object. `timeout`: the limit of each step of the handshake, and of the call */
export interface CallAsked extends Omit<CheckAsked, "files"> {
  readonly file: string
  readonly server: string
  readonly tool: string
  readonly args: string
}

const command = ["zain", "mcp", "call"]

/** Starts or connects to one server, and calls a tool. */
export const call = Effect.fnUntraced(function* ({ args, file, json, server, timeout, tool }: CallAsked) {
  const given = Option.getOrUndefined(decodeArguments(args))
  if (given === undefined) {
    return yield* WrongUsage.fail(command, `ARGS is not a JSON object. Write it in quotes, such as '{"path":"a"}'.`)
  }
  const { entries, homeless, read, secrets } = yield* open([file])
  const [{ error } = {}] = read
  if (error !== undefined) return yield* WrongUsage.fail(command, `${file}: ${error}`)
  const here = entries.filter(isHere)
  const [entry, other] = here.filter(({ name }) => name === server)
  if (entry === undefined || other !== undefined) {
    const names = here.map(({ name }) => name).join(", ")
    const what = other === undefined ? `no server ${JSON.stringify(server)}; it has: ${names || "none"}` : "several"
    return yield* WrongUsage.fail(command, `${file} has ${what}${other === undefined ? "" : ` servers ${server}`}.`)
  }
  const [stdout, stderr] = [Output.of(process.stdout), Output.of(process.stderr)]
  if (entry.target === undefined) {
    stderr.print(FindingText.groups(entry.findings, stderr))
    return 1
  }
  announce(entry, homeless, stderr)
  const { called, failure } = yield* McpServerProbe.probe(configOf(entry.target, entry.timeout, timeout), {
    environment: passed(entry.target),
    secrets: [...secrets, ...entry.secrets],
    call: { name: tool, arguments: given, limit: timeout },
  })
  if (called?._tag !== "Result") {
    const why = called === undefined ? failure?.error.message : `refused (${called.code}): ${called.message}`
    return yield* Effect.fail(new Error(`${server}, ${tool}: ${visible(why ?? "no answer")}`))
  }
  const result = decodeResult(called.result)
  if (Option.isNone(result))
    return yield* Effect.fail(new Error(`${server}, ${tool}: the result is not one of a tool.`))
  const { content, isError } = result.value
  if (json) yield* stdout.write(FindingText.inJson(called.result as object))
  else {
    const texts = content.flatMap(({ text }) => text ?? [])
    if (texts.length > 0) yield* stdout.write(`${stdout.isTerminal ? harmless(texts.join("\n")) : texts.join("\n")}\n`)
    const more = content.filter(({ text }) => text === undefined).map(({ type }) => type)
    if (more.length > 0) stderr.print(`Not shown: ${visibleLine(more.join(", "))}. --json prints it.\n`)
  }
  return isError === true ? 1 : 0
})

const decodeArguments = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const decodeResult = Schema.decodeUnknownOption(
  Schema.Struct({
    content: Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optionalKey(Schema.String) })),
    isError: Schema.optionalKey(Schema.Boolean),
  }),
)

/** The existing files with servers, and of a user's file those of this directory only. */
const discover = Effect.fnUntraced(function* (agents: ReadonlyArray<Agent>) {
  const facts = yield* Effect.forEach(agents, (agent) => Effect.promise(agent.facts))
  const ofUser = facts.flatMap(({ servers }) => servers?.(process.env) ?? [])
  return yield* open([...ofProject, ...ofUser].filter(existsSync), ({ entries, error, ...file }) =>
    error?.startsWith(noServers) === true
      ? []
      : [{ ...file, ...(error === undefined ? {} : { error }), entries: entries.filter(isHere) }],
  )
})

/** Whether an entry applies in this directory: those of other projects do not. */
const isHere = ({ path }: ServerEntry): boolean =>
  !path.startsWith("projects.") || path.startsWith(`projects.${process.cwd()}.mcpServers.`)

const open = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  keep: (file: ServerFile.ServerFile) => ReadonlyArray<ServerFile.ServerFile> = (file) => [file],
) {
  const { env } = process
  const all = yield* Effect.forEach(files, (file) => ServerFile.read(file, env, process.cwd()))
  const read = all.flatMap(keep)
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
