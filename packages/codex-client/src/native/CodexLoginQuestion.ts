/**
 * Asks Codex whether it is logged in, and for problems of its configuration. Reads none of its files.
 *
 * @see Codex 0.153 and 0.169, app-server, `account/read`, `config/read`, `configWarning`
 */
import type { JsonObject } from "@zain/process/JsonLines"
import { ownVersion } from "@zain/process/OwnVersion"
import type { AskedProgram, Login, LoginAnswer } from "@zain/sdk-client/AgentFacts"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A warning without a `path`, such as one about a missing sandbox, is ignored. */
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

/** Turns off plug-ins, analytics and the update check, which make Codex use the network. */
export const quietArguments: ReadonlyArray<string> = [
  "features.plugins=false",
  "analytics.enabled=false",
  "check_for_update_on_startup=false",
].flatMap((set) => ["-c", set])

export const ask = <E>(program: AskedProgram<E>): Effect.Effect<LoginAnswer, E> => {
  const clientInfo = { name: "zain-doctor", title: "Zain", version: ownVersion }
  const first = { id: 1, method: "initialize", params: { clientInfo } }
  return program.converse([...quietArguments, "app-server"], first, answers())
}

/** Reads the handshake, the warnings about the configuration, the account, and the trusted directories. */
const answers = () => {
  let trouble: LoginAnswer["trouble"]
  let login: Login | undefined
  const answered = (login: Login): LoginAnswer => ({ login, ...(trouble === undefined ? {} : { trouble }) })
  return (
    { error, id, method, params, result }: JsonObject,
    send: (message: object) => void,
  ): LoginAnswer | undefined => {
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
    if (id === 1 && error !== undefined) return answered({ state: "unknown" })
    if (id === 2) {
      login = Option.match(decodeAccount(result), { onNone: () => ({ state: "unknown" }), onSome: account })
      send({ id: 3, method: "config/read", params: {} })
    }
    if (id !== 3 || login === undefined) return undefined
    const trusted = trustedIn(result)
    const isElsewhere = addressedIn(result)
    return { ...answered(login), ...(trusted.length === 0 ? {} : { trusted }), ...(isElsewhere ? { isElsewhere } : {}) }
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
  if (account !== null) return { state: "in", how: accounts[account.type] ?? account.type }
  return { state: requiresOpenaiAuth ? "out" : "not-needed" }
}

const accounts: Readonly<Record<string, string>> = { apiKey: "an API key", chatgpt: "ChatGPT" }
