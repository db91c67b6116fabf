/**
 * Lists the MCP servers and skills that the user added to Codex, with a process that ends after the answer.
 *
 * @see Codex 0.169.0, app-server: `config/read` and `skills/list`, which take 100 ms
 */
import type { ConnectionUnavailable } from "@zain/core/McpError"
import * as Environment from "@zain/process/Environment"
import type { HostGuard } from "@zain/process/HostGuard"
import * as JsonLines from "@zain/process/JsonLines"
import * as OwnedProcess from "@zain/process/OwnedProcess"
import { ownVersion } from "@zain/process/OwnVersion"
import * as StderrTail from "@zain/process/StderrTail"
import * as Failure from "@zain/sdk-client/Failure"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { facts } from "../CodexFacts.ts"

/** The Codex that lists its servers and skills. */
export interface Codex {
  /** Path of the program. */
  readonly program: string
  /** The host's environment, of which the usual variables and Codex's own pass. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Variables that pass beside them. */
  readonly passed: Readonly<Record<string, string>>
  /** Directory that Codex works in. */
  readonly cwd: string
}

/** What the user added to Codex. */
export interface Inventory {
  /** Names of MCP servers. */
  readonly servers: ReadonlyArray<string>
  /** Names of skills, and the paths of their files. */
  readonly skills: ReadonlyArray<typeof Skill.Type>
}

const Skill = Schema.Struct({ name: Schema.String, path: Schema.String })
const Servers = Schema.Struct({
  config: Schema.Struct({ mcp_servers: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Json))) }),
})
// One entry for each directory in the request.
const Skills = Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ skills: Schema.Array(Skill) })) })

/** Eight processes at once answer within 250 ms; the limit allows for a busy machine. */
const patience = Duration.seconds(10)

/** Limit of an answer, in bytes: room for thousands of skills. */
const maxAnswerBytes = 16 * 1024 * 1024

/** Lists the servers and skills. Fails with `ConnectionUnavailable` when Codex does not answer. */
export const read = (codex: Codex): Effect.Effect<Inventory, ConnectionUnavailable, HostGuard> =>
  OwnedProcess.start(target(codex)).pipe(
    Effect.mapError(Failure.startFailed),
    Effect.flatMap((process) => ask(process, codex)),
    // The time limit does not include the end of the process.
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => unknown("connect-timeout", `it did not answer within ${Duration.format(patience)}`),
    }),
    Effect.scoped,
  )

const target = ({ cwd, env, passed, program }: Codex) => {
  const own = Environment.make(env, facts.environment)
  return {
    command: program,
    // Plug-ins and apps are off in sessions without tools, and slow to load.
    args: ["app-server", "-c", "features.plugins=false", "-c", "features.apps=false"],
    cwd,
    env: { ...own.env, ...passed },
    secrets: [...own.secrets, ...Object.values(passed)],
    closeGrace: Duration.seconds(1),
  } as const
}

const [handshake, config, skills] = [1, 2, 3]

const requests = (cwd: string) => [
  { id: handshake, method: "initialize", params: { clientInfo: { name: "zain-client", version: ownVersion } } },
  { method: "initialized" },
  { id: config, method: "config/read", params: { cwd } },
  { id: skills, method: "skills/list", params: { cwds: [cwd] } },
]

const ask = (process: OwnedProcess.OwnedProcess, { cwd }: Codex): Effect.Effect<Inventory, ConnectionUnavailable> => {
  const results = new Map<unknown, unknown>()
  return JsonLines.ask(process, {
    first: requests(cwd),
    maxLineBytes: maxAnswerBytes,
    answer: ({ error, id, method, result }): Effect.Effect<typeof results, ConnectionUnavailable> | undefined => {
      if (id === undefined || method !== undefined) return undefined
      if (isObject(error)) return unknown("server-error", `it answered: ${String(error["message"])}`)
      results.set(id, result)
      return results.has(config) && results.has(skills) ? Effect.succeed(results) : undefined
    },
  }).pipe(
    Effect.catch((how) =>
      unknown(
        how.startsWith("sent a line") ? "message-too-large" : "server-exited",
        `it ${how} before it answered.${StderrTail.lastWords(process.diagnostics().stderrTail)}`,
      ),
    ),
    Effect.flatten,
    Effect.flatMap((results) =>
      Result.match(Result.all([decode(Servers, results.get(config)), decode(Skills, results.get(skills))]), {
        onFailure: () => unknown("server-error", "its answer has an unexpected form"),
        onSuccess: ([{ config }, { data }]) =>
          Effect.succeed({
            servers: Object.keys(config.mcp_servers ?? {}),
            skills: data.flatMap(({ skills }) => skills),
          }),
      }),
    ),
  )
}

const decode = <A>(schema: Schema.Decoder<A>, value: unknown) => Schema.decodeUnknownResult(schema)(value)

const unknown = (reason: ConnectionUnavailable["reason"], why: string) =>
  Effect.fail(
    Failure.unavailable(
      reason,
      `Codex did not list the MCP servers and skills of its user, which a document could use, so no prompt was sent. Check that it is a current Codex: ${why}`,
      { server: facts.title, delivery: "not-sent" },
    ),
  )
