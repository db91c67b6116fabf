/**
 * Servers of Codex's `config.toml`: `[mcp_servers.NAME]`.
 *
 * @see Codex 0.169, configuration, `mcp_servers`
 */
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { about, type Finding } from "../doctor/Finding.ts"
import * as Secrets from "../doctor/Secrets.ts"
import * as ShellWords from "../doctor/ShellWords.ts"
import * as Expansion from "./Expansion.ts"
import type { Place, ServerEntry } from "./ServerEntry.ts"

const Texts = Schema.Record(Schema.String, Schema.String)
const File = Schema.Struct({ mcp_servers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) })
const Variable = Schema.Union([Schema.String, Schema.Struct({ name: Schema.String })])
const Entry = Schema.Struct({
  command: Schema.optionalKey(Schema.String),
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  cwd: Schema.optionalKey(Schema.String),
  env: Schema.optionalKey(Texts),
  env_vars: Schema.optionalKey(Schema.Array(Variable)),
  url: Schema.optionalKey(Schema.String),
  bearer_token: Schema.optionalKey(Schema.Unknown),
  bearer_token_env_var: Schema.optionalKey(Schema.String),
  http_headers: Schema.optionalKey(Texts),
  env_http_headers: Schema.optionalKey(Texts),
  enabled: Schema.optionalKey(Schema.Boolean),
  startup_timeout_sec: Schema.optionalKey(Schema.Finite),
  startup_timeout_ms: Schema.optionalKey(Schema.Finite),
})
type Entry = typeof Entry.Type

const decodeFile = Schema.decodeUnknownResult(File)
const decodeEntry = Schema.decodeUnknownResult(Entry)

/** @returns the servers, or what is wrong with the file as a whole */
export const read = (toml: unknown, place: Place): Result.Result<ReadonlyArray<ServerEntry>, string> => {
  const file = decodeFile(toml)
  if (Result.isFailure(file)) return Result.fail(`In it, ${SchemaProblem.describe(file.failure)}.`)
  const { mcp_servers } = file.success
  return mcp_servers === undefined
    ? Result.fail("It names no servers: there is no [mcp_servers.NAME] in it.")
    : Result.succeed(Object.entries(mcp_servers).map(([name, value]) => one(name, value, place)))
}

const kind = "codex" as const

const one = (name: string, value: unknown, place: Place): ServerEntry => {
  const path = ["mcp_servers", name]
  const found = about(name)
  const base = { name, file: place.file, path: path.join("."), kind, isEnabled: true, secrets: [] }
  const decoded = decodeEntry(value)
  if (Result.isFailure(decoded)) {
    const what = `${SchemaProblem.describe(decoded.failure, path)}.`
    const finding = found("problem", "entry-invalid", what, { fix: "Correct the entry; Codex does not start with it." })
    return { ...base, transport: "?", shown: "?", findings: [finding] }
  }
  const entry = decoded.success
  const { enabled: isEnabled = true, startup_timeout_ms: millis, startup_timeout_sec: seconds } = entry
  const timeout = seconds ?? (millis === undefined ? undefined : millis / 1_000)
  const disabled = isEnabled ? [] : [found("ok", "entry-disabled", "It is switched off in its file.")]
  const { findings, ...rest } = target(name, entry, place)
  return {
    ...base,
    ...rest,
    isEnabled,
    ...(timeout === undefined ? {} : { timeout }),
    findings: isEnabled ? [...ignored(name, value), ...findings] : disabled,
  }
}

type Read = Pick<ServerEntry, "transport" | "shown" | "target" | "secrets" | "findings">

/** What Codex does not take beside the other: it starts without any of its file then. */
const unsupported = {
  url: ["args", "env", "env_vars", "cwd", "bearer_token"],
  command: ["bearer_token", "bearer_token_env_var", "http_headers", "env_http_headers"],
} as const

const refused = (name: string, entry: Entry, with_: keyof typeof unsupported): ReadonlyArray<Finding> => {
  const keys = unsupported[with_].filter((key) => entry[key] !== undefined)
  if (keys.length === 0) return []
  const fix = keys.includes("bearer_token")
    ? 'Take it out; a token is named, bearer_token_env_var = "NAME", beside a `url`.'
    : "Take it out."
  return [
    about(name)("problem", "entry-invalid", `It has \`${keys.join("`, `")}\` beside \`${with_}\`.`, {
      cause: "Codex refuses that, and the whole file with it.",
      fix,
    }),
  ]
}

/** What Codex passes over without a word to its user. */
const ignored = (name: string, value: unknown): ReadonlyArray<Finding> =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "headers")
    ? [
        about(name)("warning", "entry-ignored", "It has `headers`, which Codex ignores.", {
          fix: "Call them `http_headers`, or `env_http_headers` for names of variables.",
        }),
      ]
    : []

const target = (name: string, entry: Entry, { cwd, env: host }: Place): Read => {
  const { args = [], command, env = {}, env_vars = [], url } = entry
  if (command !== undefined && url === undefined) {
    const passed = env_vars.map((variable) => (typeof variable === "string" ? variable : variable.name))
    const { secrets, shown } = Secrets.ofWords([command, ...args])
    const findings = refused(name, entry, "command")
    return {
      transport: "stdio",
      shown: ShellWords.line(shown),
      secrets: [
        ...Secrets.ofVariables(env),
        ...secrets,
        ...passed.flatMap((variable) => Expansion.variable(host, variable) ?? []),
      ],
      findings,
      ...(findings.length > 0
        ? {}
        : { target: { transport: "stdio" as const, command, args, cwd: entry.cwd ?? cwd, env, passed } }),
    }
  }
  if (url === undefined || command !== undefined) {
    const what = url === undefined ? "It has neither `command` nor `url`." : "It has both `command` and `url`."
    const finding = about(name)("problem", "entry-invalid", what, { fix: "Give it one of the two." })
    return { transport: "?", shown: "?", secrets: [], findings: [finding] }
  }
  const { bearer_token_env_var: bearer, env_http_headers: named = {}, http_headers = {} } = entry
  const wanted = [...(bearer === undefined ? [] : [bearer]), ...Object.values(named)]
  const findings: Array<Finding> = [
    ...refused(name, entry, "url"),
    ...Expansion.findings(
      name,
      wanted.filter((one) => (Expansion.variable(host, one) ?? "") === ""),
    ),
  ]
  const headers = {
    ...http_headers,
    ...Object.fromEntries(
      Object.entries(named).map(([header, variable]) => [header, Expansion.variable(host, variable) ?? ""]),
    ),
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${Expansion.variable(host, bearer) ?? ""}` }),
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    findings.push(
      about(name)("problem", "entry-invalid", "Its `url` is no http or https URL.", { fix: "Correct the `url`." }),
    )
  }
  return {
    transport: "http",
    shown: Secrets.ofUrl(url).shown,
    secrets: [...Secrets.ofHeaders(headers), ...Secrets.ofUrl(url).secrets].filter((value) => value !== ""),
    findings,
    ...(findings.length === 0 ? { target: { transport: "streamable-http" as const, url, headers } } : {}),
  }
}
