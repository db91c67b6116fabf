/**
 * Whether an agent is logged in, as it says itself. No file of its is read, and nobody is asked who is not on this machine.
 */
import type { JsonObject } from "@zain/process/JsonLines"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ownVersion } from "../OwnVersion.ts"

/** `unknown`: it did not say. */
export interface Login {
  readonly state: "in" | "out" | "not-needed" | "unknown"
  readonly how?: string
}

/** A configuration of its own that an agent could not use, in its own words; it works without it. */
export interface ConfigTrouble {
  readonly path: string
  readonly what: string
}

/**
 * What an agent says when it is asked. `trouble`: what is wrong with its configuration; `trusted`: the directories whose own
 * settings its user lets count; `isElsewhere`: its model is at an address of its user's, which may ask for no login
 */
export interface Said {
  readonly login: Login
  readonly trouble?: ConfigTrouble
  readonly trusted?: ReadonlyArray<string>
  readonly isElsewhere?: boolean
}

/** One without a `path` is about the machine, such as a missing sandbox. */
const ConfigWarning = Schema.Struct({
  summary: Schema.String,
  details: Schema.optionalKey(Schema.NullOr(Schema.String)),
  path: Schema.String,
})
const Account = Schema.Struct({
  account: Schema.NullOr(Schema.Struct({ type: Schema.String })),
  requiresOpenaiAuth: Schema.Boolean,
})

const Configured = Schema.Struct({
  config: Schema.Struct({ projects: Schema.Record(Schema.String, Schema.Struct({ trust_level: Schema.String })) }),
})
const Addressed = Schema.Struct({
  config: Schema.Struct({
    model_provider: Schema.optionalKey(Schema.NullOr(Schema.String)),
    openai_base_url: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
})

const decodeWarning = Schema.decodeUnknownOption(ConfigWarning)
const decodeAccount = Schema.decodeUnknownOption(Account)
const decodeConfigured = Schema.decodeUnknownOption(Configured)
const decodeAddressed = Schema.decodeUnknownOption(Addressed)

/** The first thing to say to `codex app-server`. */
export const codexFirst = {
  id: 1,
  method: "initialize",
  params: { clientInfo: { name: "zain-doctor", title: "Zain", version: ownVersion() } },
}

/** Plug-ins and statistics make Codex look up hosts; nothing here needs them. */
export const codexQuiet: ReadonlyArray<string> = [
  "features.plugins=false",
  "analytics.enabled=false",
  "check_for_update_on_startup=false",
].flatMap((set) => ["-c", set])

export const codexArguments: ReadonlyArray<string> = [...codexQuiet, "app-server"]

/**
 * Reads what `codex app-server` says: its handshake, what it thinks of its configuration, its account, and what it trusts.
 *
 * @see Codex 0.153 and 0.169, app-server, `account/read`, `config/read`, `configWarning`
 */
export const codexAnswers = () => {
  let trouble: ConfigTrouble | undefined
  let login: Login | undefined
  const said = (login: Login): Said => ({ login, ...(trouble === undefined ? {} : { trouble }) })
  return ({ error, id, method, params, result }: JsonObject, send: (message: object) => void): Said | undefined => {
    if (method === "configWarning") {
      const warning = Option.getOrUndefined(decodeWarning(params))
      if (warning !== undefined) {
        const { details, path, summary } = warning
        trouble ??= { path, what: details == null ? summary : `${summary} ${details}` }
      }
    }
    if (id === 1 && error === undefined) {
      send({ method: "initialized" })
      send({ id: 2, method: "account/read", params: { refreshToken: false } })
    }
    if (id === 1 && error !== undefined) return said({ state: "unknown" })
    if (id === 2) {
      login = Option.match(decodeAccount(result), { onNone: () => ({ state: "unknown" }), onSome: account })
      send({ id: 3, method: "config/read", params: {} })
    }
    if (id !== 3 || login === undefined) return undefined
    const trusted = trustedIn(result)
    const isElsewhere = addressedIn(result)
    return { ...said(login), ...(trusted.length === 0 ? {} : { trusted }), ...(isElsewhere ? { isElsewhere } : {}) }
  }
}

const addressedIn = (result: unknown): boolean =>
  Option.exists(
    decodeAddressed(result),
    ({ config: { model_provider, openai_base_url } }) =>
      (model_provider ?? "openai") !== "openai" || openai_base_url != null,
  )

const trustedIn = (result: unknown): ReadonlyArray<string> =>
  Option.match(decodeConfigured(result), {
    onNone: () => [],
    onSome: ({ config: { projects } }) =>
      Object.keys(projects).filter((directory) => projects[directory]?.trust_level === "trusted"),
  })

const account = ({ account, requiresOpenaiAuth }: typeof Account.Type): Login => {
  if (account !== null) return { state: "in", how: codexAccounts[account.type] ?? account.type }
  return { state: requiresOpenaiAuth ? "out" : "not-needed" }
}

const codexAccounts: Readonly<Record<string, string>> = { apiKey: "an API key", chatgpt: "ChatGPT" }

/** What `claude auth status` prints. */
const AuthStatus = Schema.fromJsonString(
  Schema.Struct({
    loggedIn: Schema.Boolean,
    authMethod: Schema.optionalKey(Schema.NullOr(Schema.String)),
    apiProvider: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
)
const decodeStatus = Schema.decodeUnknownOption(AuthStatus)

/** Says whether a Claude Code knows `claude auth status`: one that does not would take the words for a prompt. */
export const claudeHelpArguments: ReadonlyArray<string> = ["auth", "--help"]
export const claudeKnowsStatus = (help: string): boolean =>
  /usage: claude auth\b/i.test(help) && /^\s+status\b/m.test(help)

export const claudeArguments: ReadonlyArray<string> = ["auth", "status", "--json"]

/** Reads what `claude auth status --json` prints, whatever its exit code. */
export const claudeAnswer = (output: string): Login =>
  Option.match(decodeStatus(output), {
    onNone: (): Login => ({ state: "unknown" }),
    onSome: ({ apiProvider, authMethod, loggedIn }): Login => {
      if (!loggedIn) return { state: "out" }
      const method = authMethod ?? "an account"
      const by = apiProvider == null || apiProvider === "firstParty" ? method : `${method}, ${apiProvider}`
      return { state: "in", how: by }
    },
  })
