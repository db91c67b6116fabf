/**
 * Servers of a JSON file: `mcpServers` of Claude Code and many others, also of its projects, and `servers` of VS Code.
 */
import { homedir } from "node:os"
import { basename, dirname } from "node:path"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { about, type Finding } from "../doctor/Finding.ts"
import * as Secrets from "../doctor/Secrets.ts"
import * as ShellWords from "../doctor/ShellWords.ts"
import * as Expansion from "./Expansion.ts"
import type { Place, ServerEntry } from "./ServerEntry.ts"

const Texts = Schema.Record(Schema.String, Schema.String)
const Servers = Schema.Record(Schema.String, Schema.Unknown)

const File = Schema.Struct({
  mcpServers: Schema.optionalKey(Schema.NullOr(Servers)),
  servers: Schema.optionalKey(Servers),
  projects: Schema.optionalKey(Servers),
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
const decodeProject = Schema.decodeUnknownResult(Project)
const decodeEntry = Schema.decodeUnknownResult(Entry)

/** `disabled`: names that the file lists elsewhere as not wanted. */
interface Where extends Place {
  readonly within: ReadonlyArray<string>
  readonly isVsCode: boolean
  readonly disabled: ReadonlyArray<string>
}

/** @returns the servers, or what is wrong with the file as a whole */
export const read = (json: unknown, place: Place): Result.Result<ReadonlyArray<ServerEntry>, string> => {
  const file = decodeFile(json)
  if (Result.isFailure(file)) return Result.fail(`In it, ${SchemaProblem.describe(file.failure)}.`)
  const { mcpServers, projects, servers } = file.success
  if (mcpServers === undefined && projects === undefined && servers === undefined) {
    return Result.fail("It names no servers: it has none of `mcpServers`, `projects` and `servers`.")
  }
  const own = { ...place, isVsCode: false, disabled: [] }
  const cwd = folderOf(place)
  return Result.succeed([
    ...all(mcpServers ?? {}, { ...own, within: ["mcpServers"], cwd }),
    ...Object.entries(projects ?? {}).flatMap(([folder, value]) => ofProject(folder, value, own)),
    ...all(servers ?? {}, { ...own, within: ["servers"], isVsCode: true, cwd }),
  ])
}

const ofProject = (folder: string, value: unknown, own: Omit<Where, "within">): ReadonlyArray<ServerEntry> => {
  const project = decodeProject(value)
  if (Result.isFailure(project)) return [invalid(folder, ["projects", folder], project.failure, own)]
  const { disabledMcpServers: disabled = [], mcpServers } = project.success
  return all(mcpServers ?? {}, { ...own, within: ["projects", folder, "mcpServers"], cwd: folder, disabled })
}

/** A project's file is about the directory that it lies in; one of its user's is about none. */
const folderOf = ({ cwd, file }: Place): string => {
  if (basename(file) === ".mcp.json") return dirname(file)
  return basename(dirname(file)) === ".vscode" ? dirname(dirname(file)) : cwd
}

const all = (servers: Readonly<Record<string, unknown>>, where: Where): ReadonlyArray<ServerEntry> =>
  Object.entries(servers).map(([name, value]) => one(name, value, where))

const kindOf = ({ isVsCode }: Pick<Where, "isVsCode">) => (isVsCode ? "vs-code" : "claude-code")

const invalid = (
  name: string,
  path: ReadonlyArray<string>,
  failure: Schema.SchemaError,
  where: Pick<Where, "file" | "isVsCode">,
): ServerEntry => ({
  ...{ name, file: where.file, path: path.join("."), kind: kindOf(where), isEnabled: true, secrets: [] },
  ...{ transport: "?", shown: "?" },
  findings: [
    about(name)("problem", "entry-invalid", `${SchemaProblem.describe(failure, path)}.`, {
      fix: "Correct the entry; clients leave it out as it is.",
    }),
  ],
})

const one = (name: string, value: unknown, where: Where): ServerEntry => {
  const path = [...where.within, name]
  const found = about(name)
  const decoded = decodeEntry(value)
  if (Result.isFailure(decoded)) return invalid(name, path, decoded.failure, where)
  const entry = decoded.success
  const isClaudes = isClaudeCodes(where)
  const isEnabled = (entry.disabled !== true || isClaudes) && !where.disabled.includes(name)
  const isProcess = entry.url === undefined || (entry.type === undefined && entry.command !== undefined)
  const { findings, ...rest } = isProcess ? stdio(name, entry, where) : remote(name, entry, where)
  const ignored = found("warning", "entry-ignored", "It has `disabled`, which Claude Code ignores: it connects.", {
    fix: "Take the entry out, or name it in `disabledMcpjsonServers` of .claude/settings.local.json.",
  })
  return {
    ...{ name, file: where.file, path: path.join("."), kind: kindOf(where) },
    ...rest,
    isEnabled,
    findings: !isEnabled
      ? [found("ok", "entry-disabled", "It is switched off in its file.")]
      : entry.disabled === true
        ? [ignored, ...findings]
        : findings,
  }
}

/** Files that no other client reads. */
const isClaudeCodes = ({ file, isVsCode }: Where) => !isVsCode && [".mcp.json", ".claude.json"].includes(basename(file))

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
  const expanded = [program, words, values, folder]
  const findings = Expansion.findings(
    name,
    expanded.flatMap(({ unset }) => unset),
    where.isVsCode,
  )
  const { secrets, shown } = Secrets.ofWords([command, ...args])
  return {
    transport: "stdio",
    shown: ShellWords.line(shown),
    secrets: [
      ...Secrets.ofVariables(values.value),
      ...secrets.filter((value) => !value.startsWith("${")),
      ...Secrets.ofWords([program.value, ...words.value]).secrets,
      ...expanded.flatMap(({ used }) => used),
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
  const findings: Array<Finding> = [...Expansion.findings(name, [...address.unset, ...values.unset], where.isVsCode)]
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
  if (transport === "streamableHttp" && isClaudeCodes(where)) {
    findings.push(
      found("warning", "entry-ignored", 'Its `type` is "streamableHttp": Claude Code leaves it out.', {
        fix: 'Write "type": "http".',
      }),
    )
  }
  if (entry.headersHelper !== undefined) {
    findings.push(
      found("warning", "entry-not-checked", "Its `headersHelper` is a command, and is not run here.", {
        cause: "A command that makes headers would run without being asked for.",
      }),
    )
  }
  return {
    transport,
    shown: Secrets.ofUrl(url).shown,
    secrets: [
      ...Secrets.ofHeaders(values.value),
      ...Secrets.ofUrl(address.value).secrets,
      ...address.used,
      ...values.used,
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
    if (name === "userHome") return env["HOME"] ?? homedir()
    if (name === "workspaceFolder") return cwd
    if (name === "workspaceFolderBasename") return basename(cwd)
    return name.startsWith("env:") ? Expansion.variable(env, name.slice("env:".length)) : undefined
  }, !isVsCode)
