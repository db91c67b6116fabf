/**
 * Starts Claude Code as for a turn, and reports what it does not accept.
 *
 * @see Claude Code 2.1.332: measured. It ignores an invalid `settings.json` whole, and says so in `get_settings` only
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { JsonObject } from "@zain/process/JsonLines"
import { isRecord } from "@zain/process/JsonRpc"
import type { AskedProgram, StartAnswer, StartTrouble } from "@zain/sdk-client/AgentFacts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ConfigDirectory from "./ConfigDirectory.ts"
import * as DroppedRules from "./DroppedRules.ts"

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

export const ask = <E>(
  program: AskedProgram<E>,
  env: Readonly<Record<string, string | undefined>>,
): Effect.Effect<StartAnswer, E> =>
  Effect.flatMap(
    Effect.promise(() => restrictionsOf(join(ConfigDirectory.of(env), "settings.json"))),
    (restrictions) =>
      program.converse([...streaming, "--setting-sources=user"], request("initialize"), answer(restrictions)),
  )

/** None of a file that Claude Code ignores whole, which it reports. */
const restrictionsOf = async (file: string): Promise<ReadonlyArray<DroppedRules.Restriction>> => {
  try {
    const settings: unknown = JSON.parse((await readFile(file, "utf8")).replace(/^\uFEFF/, ""))
    return isRecord(settings) ? DroppedRules.of(file, settings) : []
  } catch {
    return []
  }
}

const answer =
  (restrictions: ReadonlyArray<DroppedRules.Restriction>) =>
  (message: JsonObject, send: (message: object) => void): StartAnswer | undefined => {
    const { request_id, response } = Option.getOrUndefined(decodeResponse(message))?.response ?? {}
    if (request_id === "initialize") send(request("get_settings"))
    if (request_id !== "get_settings") return undefined
    // An older version answers with an error.
    const troubles = Option.match(decodeSettings(response), { onNone: () => [], onSome: ignored })
    const dropped = isRecord(response) ? DroppedRules.first(restrictions, response) : undefined
    return { troubles: troubles.length > 0 || dropped === undefined ? troubles : [malformed(dropped)] }
  }

const malformed = ({ file, list, rule }: DroppedRules.Restriction): StartTrouble => ({
  kind: "config",
  what: `${file}: permissions.${list}: the rule ${JSON.stringify(rule)} is malformed.`,
  cause: "It drops the rule without a report.",
  fix: `Correct the rule in ${file}.`,
})

/** One trouble a file, by its first error. */
const ignored = ({ errors }: typeof Settings.Type): ReadonlyArray<StartTrouble> =>
  [...Map.groupBy(errors, ({ file }) => file)].map(([file, [first]]) => ({
    kind: "config",
    what: `${[file, first?.path].filter(Boolean).join(": ")}: ${first?.message}`,
    cause: "It ignores the whole file, also the rules that deny tools.",
    fix: `Correct ${file}.`,
  }))
