/**
 * Starts Claude Code as for a turn, and reports what it does not accept.
 *
 * @see Claude Code 2.1.332: measured. It ignores an invalid `settings.json` whole, and says so in `get_settings` only
 */
import type { JsonObject } from "@zain/process/JsonLines"
import type { AskedProgram, StartAnswer, StartTrouble } from "@zain/sdk-client/AgentFacts"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Arguments of every process that runs turns. */
export const streaming: ReadonlyArray<string> = [
  "-p",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
]

const Response = Schema.Struct({
  response: Schema.Struct({ request_id: Schema.String, response: Schema.optionalKey(Schema.Unknown) }),
})
const Settings = Schema.Struct({
  errors: Schema.Array(Schema.Struct({ file: Schema.String, path: Schema.String, message: Schema.String })),
})
const decodeResponse = Schema.decodeUnknownOption(Response)
const decodeSettings = Schema.decodeUnknownOption(Settings)

const request = (id: string) => ({ type: "control_request", request_id: id, request: { subtype: id } })

export const ask = <E>(program: AskedProgram<E>): Effect.Effect<StartAnswer, E> =>
  program.converse([...streaming, "--setting-sources=user"], request("initialize"), answer)

const answer = (message: JsonObject, send: (message: object) => void): StartAnswer | undefined => {
  const { request_id, response } = Option.getOrUndefined(decodeResponse(message))?.response ?? {}
  if (request_id === "initialize") send(request("get_settings"))
  if (request_id !== "get_settings") return undefined
  // An older version answers with an error.
  return { troubles: Option.match(decodeSettings(response), { onNone: () => [], onSome: ignored }) }
}

/** One trouble a file, by its first error. */
const ignored = ({ errors }: typeof Settings.Type): ReadonlyArray<StartTrouble> =>
  [...Map.groupBy(errors, ({ file }) => file)].map(([file, [first]]) => ({
    kind: "config",
    what: `${[file, first?.path].filter(Boolean).join(": ")}: ${first?.message}`,
    cause: "It ignores the whole file, also the rules that deny tools.",
    fix: `Correct ${file}.`,
  }))
