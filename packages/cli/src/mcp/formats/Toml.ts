/**
 * Servers of Codex's `config.toml`: `[mcp_servers.NAME]`.
 *
 * @see Codex 0.169, configuration, `mcp_servers`
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { about, type Finding } from "../../doctor/Finding.ts"
import * as ShellWords from "../../doctor/ShellWords.ts"
import * as EntryReader from "../EntryReader.ts"
import * as Expansion from "../Expansion.ts"
import { type Format, noServers, type Place } from "../ServerEntry.ts"

const File = Schema.Struct({ mcp_servers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })
const Variable = Schema.Union([Schema.String, Schema.Struct({ name: Schema.String })])
const Entry = Schema.Struct({
  ...EntryReader.fields,
  env_vars: Schema.optionalKey(Schema.Array(Variable)),
  bearer_token: Schema.optionalKey(Schema.Unknown),
  bearer_token_env_var: Schema.optionalKey(Schema.String),
  http_headers: Schema.optionalKey(EntryReader.Texts),
  env_http_headers: Schema.optionalKey(EntryReader.Texts),
  headers: Schema.optionalKey(Schema.Unknown),
  enabled: Schema.optionalKey(Schema.Boolean),
  startup_timeout_sec: Schema.optionalKey(Schema.Finite),
  startup_timeout_ms: Schema.optionalKey(Schema.Finite),
})
type Entry = typeof Entry.Type

const form: EntryReader.EntryForm<Entry> = {
  schema: Entry,
  whenInvalid: "Correct the entry; Codex does not start with it.",
  isEnabled: ({ enabled = true }) => enabled,
  read: (entry, name, place) => {
    const { headers, startup_timeout_ms: millis, startup_timeout_sec: seconds } = entry
    const timeout = seconds ?? (millis === undefined ? undefined : millis / 1_000)
    const { findings, ...reach } = reachOf(entry, name, place)
    return {
      ...reach,
      ...(timeout === undefined ? {} : { timeout }),
      findings: headers === undefined ? findings : [ignored(name), ...findings],
    }
  },
  credentials: (name) => {
    const login = ShellWords.command(["codex", "mcp", "login", name])
    const token = 'Set a variable to the token, and name it: bearer_token_env_var = "NAME"'
    return login === undefined ? `${token}.` : `${token}; or, with OAuth: ${login}`
  },
  overSse: () => "Codex supports Streamable HTTP only: use that URL of the server.",
}

export const format: Format = {
  parse: async (text) => {
    const { parse, TomlError } = await import("smol-toml")
    try {
      return Result.succeed(parse(text))
    } catch (cause) {
      const place = cause instanceof TomlError ? `: line ${cause.line}, column ${cause.column}` : ""
      return Result.fail(`Not TOML${place}.`)
    }
  },
  read: (toml, place) =>
    Result.flatMap(EntryReader.content(File, toml), ({ mcp_servers: servers }) => {
      if (servers === undefined) return Result.fail(`${noServers} it has no [mcp_servers.NAME].`)
      return Result.succeed(
        Object.entries(servers).map(([name, value]) => EntryReader.read(form, ["mcp_servers"], name, value, place)),
      )
    }),
}

/** Codex does not expand variables. */
const asWritten = Expansion.make(undefined)

const reachOf = (entry: Entry, name: string, place: Place): EntryReader.Reach => {
  const { command, env_vars = [], url } = entry
  if ((command === undefined) === (url === undefined)) {
    const what = url === undefined ? "It has neither `command` nor `url`." : "It has both `command` and `url`."
    return EntryReader.unreachable("?", [about(name)("entry-invalid", what, "Give it one of the two.")])
  }
  if (command !== undefined) {
    const passed = env_vars.map((variable) => (typeof variable === "string" ? variable : variable.name))
    return EntryReader.stdio(name, { ...entry, command, passed }, place, asWritten, refused(name, entry, "command"))
  }
  const address = { transport: "http", url: url ?? "", headers: headersOf(entry, place) }
  return EntryReader.http(name, address, asWritten, refused(name, entry, "url"))
}

/** The headers of an entry, some from host variables; a header with an unset or empty variable is omitted. */
const headersOf = (
  { bearer_token_env_var: bearer, env_http_headers: named = {}, http_headers = {} }: Entry,
  { env }: Place,
) => {
  const valueIn = (variable: string) => Expansion.variable(env, variable) ?? ""
  const names = [...(bearer === undefined ? [] : [bearer]), ...Object.values(named)]
  const fromHost = Object.entries(named).map(([header, variable]) => [header, valueIn(variable)])
  return {
    value: {
      ...http_headers,
      ...Object.fromEntries(fromHost),
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${valueIn(bearer)}` }),
    },
    unset: names.filter((variable) => valueIn(variable) === ""),
    used: [],
  }
}

/** Members that Codex rejects beside `url` or `command`; it then rejects the whole file. */
const unsupported = {
  url: ["args", "env", "env_vars", "cwd", "bearer_token"],
  command: ["bearer_token", "bearer_token_env_var", "http_headers", "env_http_headers"],
} as const

const refused = (name: string, entry: Entry, beside: keyof typeof unsupported): ReadonlyArray<Finding> => {
  const keys = unsupported[beside].filter((key) => entry[key] !== undefined)
  if (keys.length === 0) return []
  const fix = keys.includes("bearer_token")
    ? 'Remove it; a token is named by bearer_token_env_var = "NAME", beside a `url`.'
    : "Remove it."
  const what = `It has \`${keys.join("`, `")}\` beside \`${beside}\`.`
  return [about(name)("entry-invalid", what, fix, "Codex rejects that, and the whole file.")]
}

const ignored = (name: string): Finding =>
  about(name)(
    "entry-ignored",
    "It has `headers`, which Codex ignores.",
    "Rename it to `http_headers`, or `env_http_headers` for names of variables.",
  )
