/**
 * What a Codex has of its user's: MCP servers, and skills. It is asked in a process of its own, and what belongs to that
 * ends with the answer.
 *
 * @see Codex 0.169.0, app-server: `config/read` and `skills/list`, a tenth of a second
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

/**
 * - `env`: the host's environment; the usual variables of it pass, and Codex's own
 * - `passed`: variables that pass beside them
 * - `cwd`: where it works
 */
export interface Codex {
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly passed: Readonly<Record<string, string>>
  readonly cwd: string
}

/** `servers`: names. `skills`: names, and the files that they are in. */
export interface Inventory {
  readonly servers: ReadonlyArray<string>
  readonly skills: ReadonlyArray<typeof Skill.Type>
}

const Skill = Schema.Struct({ name: Schema.String, path: Schema.String })
const Servers = Schema.Struct({
  config: Schema.Struct({ mcp_servers: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Json))) }),
})
// One of each directory that was asked about.
const Skills = Schema.Struct({ data: Schema.NonEmptyArray(Schema.Struct({ skills: Schema.Array(Skill) })) })

/** Eight at once have answered after a quarter of a second; a busy machine is given more. */
const patience = Duration.seconds(10)

/** More than thousands of skills take. */
const longestAnswer = 16 * 1024 * 1024

/**
 * @returns what it has; or `ConnectionUnavailable` when that cannot be had
 */
export const read = (codex: Codex): Effect.Effect<Inventory, ConnectionUnavailable, HostGuard> =>
  OwnedProcess.start(target(codex)).pipe(
    Effect.mapError(Failure.startFailed),
    Effect.flatMap((process) => ask(process, codex)),
    // What it takes to end it does not count.
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => unknown("connect-timeout", `it said nothing for ${Duration.format(patience)}`),
    }),
    Effect.scoped,
  )

const target = ({ cwd, env, passed, program }: Codex) => {
  const own = Environment.make(env, facts.environment)
  return {
    command: program,
    // What is off for the agent is not waited for here.
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
    maxLineBytes: longestAnswer,
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
        onFailure: () => unknown("server-error", "its answer is not what it was asked for"),
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
      `Codex does not tell which MCP servers and skills its user has, so it is asked nothing: a document might use them. Check that it is a current Codex: ${why}`,
      { server: facts.title, delivery: "not-sent" },
    ),
  )
