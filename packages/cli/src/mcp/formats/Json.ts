/**
 * Servers of a JSON file: `mcpServers` of Claude Code and many others, also of its projects, and `servers` of VS Code.
 */
import { homedir } from "node:os"
import { basename, dirname } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { about, type Finding } from "../../doctor/Finding.ts"
import * as EntryReader from "../EntryReader.ts"
import * as Expansion from "../Expansion.ts"
import { type Format, noServers, type Place, type ServerEntry } from "../ServerEntry.ts"

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
  ...EntryReader.fields,
  headers: Schema.optionalKey(EntryReader.Texts),
  headersHelper: Schema.optionalKey(Schema.String),
  disabled: Schema.optionalKey(Schema.Boolean),
})
type Entry = typeof Entry.Type

const decodeProject = Schema.decodeUnknownResult(Project)

export const format: Format = {
  parse: async (text, file) => {
    try {
      const bare = text.replace(/^\uFEFF/, "")
      if (!isLenient(file)) return Result.succeed(JSON.parse(bare))
      const { default: strip } = await import("strip-json-comments")
      return Result.succeed(JSON.parse(strip(bare, { trailingCommas: true })))
    } catch (cause) {
      // The parser's message may quote the file, and with it a secret.
      const [, line, column] = /line (\d+) column (\d+)/.exec(String(cause)) ?? []
      return Result.fail(`Not JSON${line === undefined ? "" : `: line ${line}, column ${column}`}.`)
    }
  },
  read: (json, place) =>
    Result.flatMap(EntryReader.content(File, json), ({ mcpServers, projects, servers }) => {
      if (mcpServers === undefined && projects === undefined && servers === undefined) {
        return Result.fail(`${noServers} it has none of \`mcpServers\`, \`projects\` and \`servers\`.`)
      }
      const own = { ...place, cwd: folderOf(place) }
      return Result.succeed([
        ...all(mcpServers, ["mcpServers"], own, isOf(".cursor", place) ? cursors : claudeCodes),
        ...Object.entries(projects ?? {}).flatMap(([folder, value]) => ofProject(folder, value, place)),
        ...all(servers, ["servers"], own, vsCodes),
      ])
    }),
}

/** Editors accept comments and trailing commas; Claude Code does not. */
const isLenient = (file: string) => /^mcp\.json$|\.jsonc$|\.code-workspace$/.test(basename(file))

/** The directory of a project's file; a user's file has none. */
const folderOf = ({ cwd, file }: Place): string => {
  if (basename(file) === ".mcp.json") return dirname(file)
  return isOf(".vscode", { file }) || isOf(".cursor", { file }) ? dirname(dirname(file)) : cwd
}

/** Whether a file is in the directory of an editor. */
const isOf = (folder: string, { file }: Pick<Place, "file">): boolean => basename(dirname(file)) === folder

const all = (
  servers: Readonly<Record<string, unknown>> | null | undefined,
  within: ReadonlyArray<string>,
  place: Place,
  whose: Client,
  disabled: ReadonlyArray<string> = [],
): ReadonlyArray<ServerEntry> => {
  const form = formOf(whose, whose === claudeCodes && claudesOwn.has(basename(place.file)), disabled)
  return Object.entries(servers ?? {}).map(([name, value]) => EntryReader.read(form, within, name, value, place))
}

const ofProject = (folder: string, value: unknown, place: Place): ReadonlyArray<ServerEntry> => {
  const project = decodeProject(value)
  if (Result.isFailure(project)) {
    return [EntryReader.broken(formOf(claudeCodes), ["projects"], folder, project.failure, place)]
  }
  const { disabledMcpServers, mcpServers } = project.success
  const within = ["projects", folder, "mcpServers"]
  return all(mcpServers, within, { ...place, cwd: folder }, claudeCodes, disabledMcpServers)
}

/** Files that only Claude Code reads. */
const claudesOwn: ReadonlySet<string> = new Set([".mcp.json", ".claude.json"])

/** `untyped`: the transport of a URL without a type. `expansion`: how variables are expanded. */
interface Client extends Pick<EntryReader.EntryForm<Entry>, "credentials" | "overSse"> {
  readonly untyped: string
  readonly expansion: (place: Place) => Expansion.Expansion
}

const overSse = () => 'Give it "type": "sse".'

const claudeCodes: Client = {
  untyped: "?",
  expansion: ({ env }) => Expansion.make((name) => Expansion.variable(env, name), { hasFallback: true }),
  credentials: () =>
    `Add "headers": { "Authorization": "Bearer $\{NAME}" }; or, with OAuth, log in by /mcp in Claude Code.`,
  overSse,
}

const vsCodes: Client = {
  untyped: "http",
  expansion: ({ cwd, env }) =>
    Expansion.make(
      (name) => {
        if (name === "userHome") return env["HOME"] ?? homedir()
        if (name === "workspaceFolder") return cwd
        if (name === "workspaceFolderBasename") return basename(cwd)
        return name.startsWith("env:") ? Expansion.variable(env, name.slice("env:".length)) : undefined
      },
      { prefix: "env:", ofEditor },
    ),
  credentials: () =>
    `Add "headers": { "Authorization": "Bearer $\{input:token}" }; with OAuth, VS Code starts the login itself.`,
  overSse,
}

const cursors: Client = {
  ...vsCodes,
  credentials: () => `Add "headers": { "Authorization": "Bearer $\{env:NAME}" }.`,
}

const ofEditor =
  /^(?:input|command|config):|^(?:file|relativeFile|selectedText|lineNumber|pathSeparator|workspaceFolder:)/

/** @param isClaudes whether Claude Code alone reads the file. `disabled`: names that it disables elsewhere */
const formOf = (
  client: Client,
  isClaudes = false,
  disabled: ReadonlyArray<string> = [],
): EntryReader.EntryForm<Entry> => ({
  ...client,
  schema: Entry,
  whenInvalid: "Correct the entry; clients skip it.",
  isEnabled: (entry, name) => (entry.disabled !== true || isClaudes) && !disabled.includes(name),
  read: (entry, name, place) => {
    const isProcess = entry.url === undefined || (entry.type === undefined && entry.command !== undefined)
    const expansion = client.expansion(place)
    const { findings, ...reach } = isProcess
      ? stdio(name, entry, place, expansion)
      : remote(name, entry, expansion, client.untyped, isClaudes)
    return { ...reach, findings: entry.disabled === true ? [stillConnects(name), ...findings] : findings }
  },
})

const stillConnects = (name: string): Finding =>
  about(name)(
    "entry-ignored",
    "It has `disabled`, which Claude Code ignores: it connects.",
    "Remove the entry, or list it in `disabledMcpjsonServers` of .claude/settings.local.json.",
  )

const stdio = (name: string, entry: Entry, place: Place, expansion: Expansion.Expansion): EntryReader.Reach => {
  const { command = "", type = "stdio" } = entry
  if (command !== "" && type === "stdio") return EntryReader.stdio(name, { ...entry, command }, place, expansion)
  const what =
    command === ""
      ? "It has neither `command` nor `url`."
      : `It has a \`command\`, and its \`type\` is ${JSON.stringify(type)}.`
  const fix = 'Give it a `command`, or a `url` and "type": "http".'
  return EntryReader.unreachable(type, [about(name)("entry-invalid", what, fix)])
}

/** Transports by their names in files. */
const known: ReadonlySet<string> = new Set(["http", "streamable-http", "streamableHttp", "sse"])

const remote = (
  name: string,
  { headers = {}, headersHelper, type, url = "" }: Entry,
  expansion: Expansion.Expansion,
  untyped: string,
  isClaudes: boolean,
): EntryReader.Reach => {
  const found = about(name)
  const transport = type ?? untyped
  const refused: Array<Finding> = []
  const remarks: Array<Finding> = []
  if (transport === "?") {
    const what = "It has a `url` and no `type`: Claude Code skips it."
    const fix = 'Add "type": "http" to the entry, or "type": "sse" for an older server.'
    refused.push(found("entry-invalid", what, fix))
  } else if (!known.has(transport)) {
    const what = `Its transport is ${JSON.stringify(transport)}, which is not checked here.`
    const cause = "Zain checks servers over stdio, Streamable HTTP and SSE."
    refused.push(found("entry-not-checked", what, cause))
  }
  if (transport === "streamableHttp" && isClaudes) {
    const what = 'Its `type` is "streamableHttp": Claude Code skips it.'
    remarks.push(found("entry-ignored", what, 'Write "type": "http".'))
  }
  if (headersHelper !== undefined) {
    const cause = "The command that makes headers would run without your consent."
    const what = "Its `headersHelper` is a command, and is not run here."
    remarks.push(found("entry-not-checked", what, cause))
  }
  const address = { transport, url, headers: expansion.record(headers) }
  return EntryReader.http(name, address, expansion, refused, remarks)
}
