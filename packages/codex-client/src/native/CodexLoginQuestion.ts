/**
 * Asks Codex whether it is logged in. Reads none of its files.
 *
 * @see Codex 0.153 and 0.169, app-server, `account/read`, `config/read`
 */
import type { JsonObject } from "@zain/process/JsonLines"
import { ownVersion } from "@zain/process/OwnVersion"
import type { AskedProgram, Login, LoginAnswer } from "@zain/sdk-client/AgentFacts"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

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

const decodeAccount = Schema.decodeUnknownOption(Account)
const decodeConfigured = Schema.decodeUnknownOption(Configured)
const decodeAddressed = Schema.decodeUnknownOption(Addressed)

/** Turns off plug-ins, analytics and the update check, which make Codex use the network. */
export const quietArguments: ReadonlyArray<string> = [
  "features.plugins=false",
  "analytics.enabled=false",
  "check_for_update_on_startup=false",
].flatMap((set) => ["-c", set])

/** Starts an app-server, sends `initialize`, and reads messages until `answer` returns a value. */
export const converse = <A, E>(
  program: AskedProgram<E>,
  answer: (message: JsonObject, send: (message: object) => void) => A | undefined,
): Effect.Effect<A, E> => {
  const clientInfo = { name: "zain-doctor", title: "Zain", version: ownVersion }
  const capabilities = { experimentalApi: true, requestAttestation: false }
  const first = { id: 1, method: "initialize", params: { clientInfo, capabilities } }
  return program.converse([...quietArguments, "app-server"], first, answer)
}

export const ask = <E>(program: AskedProgram<E>): Effect.Effect<LoginAnswer, E> => converse(program, answers())

/** Reads the handshake, the account, and the trusted directories. */
const answers = () => {
  let login: Login | undefined
  return ({ error, id, result }: JsonObject, send: (message: object) => void): LoginAnswer | undefined => {
    if (id === 1 && error !== undefined) return { login: { state: "unknown" } }
    if (id === 1) {
      send({ method: "initialized" })
      send({ id: 2, method: "account/read", params: { refreshToken: false } })
    }
    if (id === 2) {
      login = Option.match(decodeAccount(result), { onNone: () => ({ state: "unknown" }), onSome: account })
      send({ id: 3, method: "config/read", params: {} })
    }
    if (id !== 3 || login === undefined) return undefined
    const trusted = trustedIn(result)
    const isElsewhere = addressedIn(result)
    return { login, ...(trusted.length === 0 ? {} : { trusted }), ...(isElsewhere ? { isElsewhere } : {}) }
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
