/**
 * Starts Codex as for a turn, and reports what it does not accept. The thread is ephemeral: it has no file, and ends with the
 * process.
 *
 * @see Codex 0.171 app-server: measured. Its warnings and errors name file and line for values of a wrong type only
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { JsonObject } from "@zain/process/JsonLines"
import type { AskedProgram, StartAnswer, StartTrouble } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as CodexHome from "./CodexHome.ts"
import * as CodexLoginQuestion from "./CodexLoginQuestion.ts"

/** A warning without a `path`, such as one about a missing sandbox, is ignored. */
const ConfigWarning = Schema.Struct({
  summary: Schema.String,
  details: Schema.optionalKey(Schema.NullOr(Schema.String)),
  path: Schema.String,
})
const Configured = Schema.Struct({
  config: Schema.Struct({
    model_provider: Schema.optionalKey(Schema.NullOr(Schema.String)),
    model_providers: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Struct({ env_key: Schema.optionalKey(Schema.NullOr(Schema.String)) })),
    ),
    mcp_servers: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Struct({ required: Schema.optionalKey(Schema.Boolean) })),
    ),
  }),
})
const Home = Schema.Struct({ codexHome: Schema.String })
const Refusal = Schema.Struct({ message: Schema.String })

const decodeWarning = Schema.decodeUnknownOption(ConfigWarning)
const decodeConfigured = Schema.decodeUnknownOption(Configured)
const decodeHome = Schema.decodeUnknownOption(Home)
const decodeRefusal = Schema.decodeUnknownOption(Refusal)

interface Started {
  readonly home: string | undefined
  readonly warning: typeof ConfigWarning.Type | undefined
  readonly config: (typeof Configured.Type)["config"] | undefined
  /** Why Codex starts no thread. */
  readonly refusal: string | undefined
}

export const ask = Effect.fnUntraced(function* <E>(program: AskedProgram<E>): Effect.fn.Return<StartAnswer, E> {
  const started = yield* CodexLoginQuestion.converse(program, answers())
  const { model_provider, model_providers = {} } = started.config ?? {}
  const keyVariable = model_providers[model_provider ?? "openai"]?.env_key ?? undefined
  const troubles = yield* Effect.promise(() => troublesOf(started))
  return { troubles, ...(keyVariable === undefined ? {} : { keyVariable }) }
})

/** Reads the handshake, the warnings about the configuration, the configuration, and the answer to `thread/start`. */
const answers = () => {
  let home: Started["home"]
  let warning: Started["warning"]
  let config: Started["config"]
  return ({ error, id, method, params, result }: JsonObject, send: (message: object) => void): Started | undefined => {
    if (method === "configWarning") warning ??= Option.getOrUndefined(decodeWarning(params))
    if (id === 1) {
      home = Option.getOrUndefined(decodeHome(result))?.codexHome
      send({ method: "initialized" })
      send({ id: 2, method: "config/read", params: {} })
    }
    if (id === 2) {
      config = Option.getOrUndefined(decodeConfigured(result))?.config
      // Read-only, because Codex adds the directory of another thread to the trusted ones.
      const thread = { sandbox: "read-only", ephemeral: true, config: unconnected(config) }
      send({ id: 3, method: "thread/start", params: thread })
    }
    return id === 3 ? { home, warning, config, refusal: refusalOf(error) } : undefined
  }
}

/** Settings with which a thread does not connect to its model before a turn, as it does over a web socket. */
const unconnected = ({ model_provider, model_providers = {} }: NonNullable<Started["config"]> = {}) => {
  const provider = model_provider ?? "openai"
  if (provider === "openai") return { openai_base_url: "http://127.0.0.1:1/v1" }
  return provider in model_providers ? { [`model_providers.${provider}.supports_websockets`]: false } : {}
}

const refusalOf = (error: unknown): string | undefined =>
  error === undefined
    ? undefined
    : Option.match(decodeRefusal(error), { onNone: () => "no reason", onSome: ({ message }) => message })

const troublesOf = async ({ config, home, refusal, warning }: Started): Promise<ReadonlyArray<StartTrouble>> => {
  if (warning !== undefined) {
    const { details, path, summary } = warning
    const what = details == null ? summary : `${summary} ${details}`
    const cause = `It cannot read ${path} and ignores it: turns run with other settings, and mostly fail.`
    return [{ kind: "config", what, cause, fix: `Correct ${path}.` }]
  }
  if (refusal === undefined) return []
  const required = Object.entries(config?.mcp_servers ?? {}).flatMap(([name, { required }]) =>
    required === true && refusal.includes(name) ? [name] : [],
  )
  const what = `It starts no thread: ${refusal.replace(/^.*(?=required MCP servers)/, "").trim()}`
  if (required.length > 0) {
    const places = await Promise.all(required.map((name) => placeOf(home, `[mcp_servers.${name}]`)))
    const cause = "These servers have `required = true`, so every turn fails until they start."
    return [{ kind: "start", what, cause, fix: `Correct ${places.join(" and ")}, or omit \`required\`.` }]
  }
  const [, quoted = ""] = /`([^`]+)`/.exec(refusal) ?? []
  const place = await placeOf(home, quoted)
  const [, profile] = /legacy `profile = "(.*?)"`/.exec(refusal) ?? []
  const fix =
    profile === undefined
      ? `Correct ${place}.`
      : `Remove \`profile\` from ${place}, and move the settings of [profiles.${profile}] to the top of the file.`
  return [{ kind: "config", what, cause: "Every turn fails with this configuration.", fix }]
}

/** `config.toml`, and the line of a table, an assignment or a value, if there is one. */
const placeOf = async (home = "~/.codex", wanted: string): Promise<string> => {
  const file = join(home, "config.toml")
  const text = await readFile(file, "utf8").catch(() => "")
  const bare = (line: string) => line.replace(/#.*/, "").replace(/[\s"']/g, "")
  const value = bare(wanted)
  const lines = text.split("\n").map(bare)
  const at = lines.findIndex((line) => value !== "" && (line === value || line.endsWith(`=${value}`)))
  return at < 0 ? file : `${file}:${at + 1}`
}

/** The check, and the file that lists the user's MCP servers. */
export const facts = {
  check: ask,
  servers: (env: Readonly<Record<string, string | undefined>>) => join(CodexHome.of(env), "config.toml"),
}
