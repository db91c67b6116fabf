/**
 * Asks Claude Code whether it is logged in. Reads none of its files.
 */
import type { AskedProgram, Login, LoginAnswer } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The output of `claude auth status --json`. */
const AuthStatus = Schema.fromJsonString(
  Schema.Struct({
    loggedIn: Schema.Boolean,
    authMethod: Schema.optionalKey(Schema.NullOr(Schema.String)),
    apiProvider: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
)
const decodeStatus = Schema.decodeUnknownOption(AuthStatus)

/** A Claude Code without `auth status` would read the words as a prompt. */
const knowsStatus = (help: string): boolean => /usage: claude auth\b/i.test(help) && /^[ \t]+status\b/m.test(help)

export const ask = Effect.fnUntraced(function* <E>({ print }: AskedProgram<E>): Effect.fn.Return<LoginAnswer, E> {
  if (!knowsStatus(yield* print(["auth", "--help"]))) return { login: { state: "unknown" } }
  return { login: read(yield* print(["auth", "status", "--json"])) }
})

const read = (output: string): Login =>
  Option.match(decodeStatus(output), {
    onNone: (): Login => ({ state: "unknown" }),
    onSome: ({ apiProvider, authMethod, loggedIn }): Login => {
      if (!loggedIn) return { state: "out" }
      const method = authMethod ?? "an account"
      const by = apiProvider == null || apiProvider === "firstParty" ? method : `${method}, ${apiProvider}`
      return { state: "in", how: by }
    },
  })
