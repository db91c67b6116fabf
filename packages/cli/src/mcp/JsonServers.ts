/**
 * Servers of a JSON file: `mcpServers` of Claude Code and many others, also of its projects, and `servers` of VS Code.
 */
import { basename, dirname } from "node:path"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { about, type Finding } from "../doctor/Finding.ts"
import * as ServerArgument from "../doctor/ServerArgument.ts"
import * as Expansion from "./Expansion.ts"
import { commandLine, type Place, type ServerEntry, secretsOf, secretsOfHeaders, shownUrl } from "./ServerEntry.ts"

const Texts = Schema.Record(Schema.String, Schema.String)
const Servers = Schema.Record(Schema.String, Schema.Unknown)

const File = Schema.Struct({
  mcpServers: Schema.optionalKey(Schema.NullOr(Servers)),
  servers: Schema.optionalKey(Schema.Unknown),
  projects: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
})
const Project = Schema.Struct({
  mcpServers: Schema.optionalKey(Schema.NullOr(Servers)),
  disabledMcpServers: Schema.optionalKey(Schema.Array(Schema.String)),
})
const Entry = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  cwd: Schema.optionalKey(Schema.String),
  env: Schema.optionalKey(Texts),
  url: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Texts),
  headersHelper: Schema.optionalKey(Schema.String),
  disabled: Schema.optionalKey(Schema.Boolean),
})
type Entry = typeof Entry.Type

const decodeFile = Schema.decodeUnknownResult(File)
const decodeProject = Schema.decodeUnknownOption(Project)
const decodeServers = Schema.decodeUnknownOption(Servers)
const decodeEntry = Schema.decodeUnknownResult(Entry)

/** `disabled`: names that the file lists elsewhere as not wanted. */
interface Where extends Place {
  readonly within: ReadonlyArray<string>
  readonly isVsCode: boolean
  readonly disabled: ReadonlyArray<string>
}

/** @returns the servers, or where the file is wrong as a whole */
export const read = (json: unknown, place: Place): Result.Result<ReadonlyArray<ServerEntry>, string> =>
  Result.mapBoth(decodeFile(json), {
    onFailure: (error) => SchemaProblem.describe(error),
    onSuccess: ({ mcpServers, projects = {}, servers }) => {
      const own = { ...place, isVsCode: false, disabled: [] }
      const ofFile = all(mcpServers ?? {}, { ...own, within: ["mcpServers"], cwd: folderOf(place) })
      const ofProjects = Object.entries(projects).flatMap(([folder, value]) => {
        const project = Option.getOrUndefined(decodeProject(value))
        const disabled = project?.disabledMcpServers ?? []
        const within = ["projects", folder, "mcpServers"]
        return all(project?.mcpServers ?? {}, { ...own, within, cwd: folder, disabled })
      })
      const ofVsCode = Option.getOrElse(decodeServers(servers), () => ({}))
      return [
        ...ofFile,
        ...ofProjects,
        ...all(ofVsCode, { ...own, within: ["servers"], isVsCode: true, cwd: folderOf(place) }),
      ]
    },
  })

/** A project's file is about the directory that it lies in; one of its user's is about none. */
const folderOf = ({ cwd, file }: Place): string => {
  if (basename(file) === ".mcp.json") return dirname(file)
  return basename(dirname(file)) === ".vscode" ? dirname(dirname(file)) : cwd
}

const all = (servers: Readonly<Record<string, unknown>>, where: Where): ReadonlyArray<ServerEntry> =>
  Object.entries(servers).map(([name, value]) => one(name, value, where))

const one = (name: string, value: unknown, where: Where): ServerEntry => {
  const path = [...where.within, name]
  const found = about(name)
  const base = { name, file: where.file, path: path.join("."), isEnabled: true, secrets: [] }
  const decoded = decodeEntry(value)
  if (Result.isFailure(decoded)) {
    const what = `${SchemaProblem.describe(decoded.failure, path)}.`
    const finding = found("problem", "entry-invalid", what, {
      fix: "Correct the entry; clients leave it out as it is.",
    })
    return { ...base, transport: "?", shown: "?", findings: [finding] }
  }
  const entry = decoded.success
  const isEnabled = entry.disabled !== true && !where.disabled.includes(name)
  const { findings, ...rest } = entry.url === undefined ? stdio(name, entry, where) : remote(name, entry, where)
  const disabled = isEnabled ? [] : [found("ok", "entry-disabled", "It is switched off in its file.")]
  return { ...base, ...rest, isEnabled, findings: [...disabled, ...findings] }
}

type Read = Pick<ServerEntry, "transport" | "shown" | "target" | "secrets" | "findings">

const stdio = (name: string, entry: Entry, where: Where): Read => {
  const { args = [], command, env = {}, type = "stdio" } = entry
  const found = about(name)
  if (command === undefined || command === "" || type !== "stdio") {
    const what =
      command === undefined || command === ""
        ? "It has neither `command` nor `url`."
        : `It has a \`command\`, and its \`type\` is ${JSON.stringify(type)}.`
    const fix = 'Give it a `command`, or a `url` and "type": "http".'
    return { transport: type, shown: "?", secrets: [], findings: [found("problem", "entry-invalid", what, { fix })] }
  }
  const expansion = expansionOf(where)
  const [program, words, values, folder] = [
    expansion.text(command),
    expansion.texts(args),
    expansion.record(env),
    expansion.text(entry.cwd ?? where.cwd),
  ]
  const findings = Expansion.findings(
    name,
    [program, words, values, folder].flatMap(({ unset }) => unset),
  )
  return {
    transport: "stdio",
    shown: commandLine([command, ...args]),
    secrets: [
      ...secretsOf(values.value),
      ...secretsOf(env).filter((value) => !value.startsWith("${")),
      ...ServerArgument.secretArguments(words.value),
      ...ServerArgument.secretArguments(args).filter((value) => !/^\$\{[^{}:]+\}$/.test(value)),
    ],
    findings,
    ...(findings.length > 0
      ? {}
      : {
          target: {
            transport: "stdio",
            command: program.value,
            args: words.value,
            cwd: folder.value,
            env: values.value,
            passed: [],
          },
        }),
  }
}

/** Names for Streamable HTTP that files use. */
const http: ReadonlySet<string> = new Set(["http", "streamable-http", "streamableHttp"])

const remote = (name: string, entry: Entry, where: Where): Read => {
  const { headers = {}, type, url = "" } = entry
  const found = about(name)
  const expansion = expansionOf(where)
  const [address, values] = [expansion.text(url), expansion.record(headers)]
  const findings: Array<Finding> = [...Expansion.findings(name, [...address.unset, ...values.unset])]
  const transport = type ?? (where.isVsCode ? "http" : "?")
  if (transport === "?") {
    findings.push(
      found("problem", "entry-invalid", "It has a `url` and no `type`: Claude Code leaves it out.", {
        fix: 'Add "type": "http" to the entry, or "type": "sse" for an older server.',
      }),
    )
  } else if (!http.has(transport) && transport !== "sse") {
    findings.push(
      found(
        "warning",
        "entry-not-checked",
        `Its transport is ${JSON.stringify(transport)}, which is not checked here.`,
        {
          cause: "Zain checks servers over stdio, Streamable HTTP and SSE.",
        },
      ),
    )
  } else if (address.unset.length === 0 && !/^https?:$/.test(protocolOf(address.value))) {
    findings.push(
      found("problem", "entry-invalid", "Its `url` is no http or https URL.", { fix: "Correct the `url`." }),
    )
  }
  const canTry = findings.length === 0
  if (entry.headersHelper !== undefined) {
    findings.push(
      found("warning", "entry-not-checked", "Its `headersHelper` is a command, and is not run here.", {
        cause: "A command that makes headers would run without being asked for.",
      }),
    )
  }
  return {
    transport,
    shown: shownUrl(url),
    secrets: [
      ...secretsOfHeaders(values.value),
      ...secretsOfHeaders(headers).filter((value) => !value.startsWith("${")),
      ...ServerArgument.secretsOf(address.value),
    ],
    findings,
    ...(canTry
      ? {
          target: {
            transport: transport === "sse" ? "sse" : "streamable-http",
            url: address.value,
            headers: values.value,
          },
        }
      : {}),
  }
}

const protocolOf = (url: string) => (URL.canParse(url) ? new URL(url).protocol : "")

const expansionOf = ({ cwd, env, isVsCode }: Where) =>
  Expansion.make((name) => {
    if (!isVsCode) return Expansion.variable(env, name)
    if (name === "workspaceFolder") return cwd
    return name.startsWith("env:") ? Expansion.variable(env, name.slice("env:".length)) : undefined
  })
