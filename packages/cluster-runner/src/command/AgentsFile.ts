/**
 * The agents and workspaces of a runner, in a file of the operator's: what callers can name, and what it means here. TOML,
 * since it has comments, and its parser says where a mistake is without quoting the text.
 *
 * @see docs/guides/cluster-operations.md
 */
import { realpathSync } from "node:fs"
import { isAbsolute } from "node:path"
import type { AgentClient } from "@zain/agent-list/Agent"
import { agents as known } from "@zain/agent-list/Agents"
import type { Environment } from "@zain/command/OptionTable"
import * as McpConnectionConfig from "@zain/core/McpConnectionConfig"
import * as SchemaProblem from "@zain/core/SchemaProblem"
import * as CheckedFile from "@zain/process/CheckedFile"
import * as WorkingDirectory from "@zain/process/WorkingDirectory"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { parse as parseToml, TomlError } from "smol-toml"
import type { AgentTable, RunnerAgent } from "../AgentTable.ts"
import { databaseUrl } from "./RunnerOptions.ts"

/** A file of agents that cannot be used. */
export class AgentsFileError extends Schema.TaggedError<AgentsFileError>()("AgentsFileError", {
  /**
   * - `unreadable`: the file is missing, too large, or other users can write it
   * - `invalid`: the file is not TOML, or a member of it is wrong
   */
  reason: Schema.Literals(["unreadable", "invalid"]),
  /** The place in the file, what is wrong, and the remedy. */
  message: Schema.String,
}) {}

/** The largest file, in bytes, and how deep it may be nested. */
const maxBytes = 1024 * 1024
const maxDepth = 16

/** Names of agents and workspaces, which callers write in URLs and options. */
const name = /^\w[\w.-]{0,63}$/

const Entry = Schema.Struct({
  /** The provider, of the list of agents; by default the agent's own name. */
  provider: Schema.optionalKey(Schema.String),
  /** The agent's program: a name on `PATH`, or a path. */
  command: Schema.optionalKey(Schema.NonEmptyString),
  /** Options of every session, which callers cannot set. */
  options: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  /** The names of the options that callers may set. */
  callerOptions: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The names of the runner's variables that the agent receives, beside the usual ones. */
  env: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Absolute paths of directories by the names that callers use. */
  workspaces: Schema.Record(Schema.String, Schema.String),
})
type Entry = typeof Entry.Type

const decode = Schema.decodeUnknownResult(Schema.Struct({ agents: Schema.Record(Schema.String, Entry) }), {
  onExcessProperty: "error",
})

/**
 * Reads a file of agents, and checks all that sessions would fail by: directories, variables, and the options of each
 * provider.
 *
 * @param path the file, with a table for each agent, such as `[agents.codex]`; other users must not write it
 * @param env the runner's environment
 */
export const read = Effect.fnUntraced(function* (
  path: string,
  env: Environment,
): Effect.fn.Return<AgentTable, AgentsFileError> {
  const invalid = (problem: string) => new AgentsFileError({ reason: "invalid", message: `${path}: ${problem}` })
  const parsed = parse(yield* text(path))
  const entries = yield* Effect.mapError(Effect.fromResult(parsed), invalid)
  const agents = yield* Effect.forEach(entries, ([name, entry]) =>
    Effect.map(Effect.mapError(agentOf(name, entry, env), invalid), (agent) => [name, agent] as const),
  )
  return Object.fromEntries(agents)
})

const text = (path: string) =>
  Effect.mapError(
    // It names programs.
    CheckedFile.read(path, { maxBytes, forbidden: 0o002 }),
    (why) => new AgentsFileError({ reason: "unreadable", message: `The file of agents ${path} ${why}` }),
  )

/** Fails with the place and the problem. */
const parse = (text: string): Result.Result<ReadonlyArray<readonly [string, Entry]>, string> =>
  Result.gen(function* () {
    const toml = yield* Result.try({
      try: () => parseToml(text, { maxDepth }),
      catch: (cause) => `Not TOML${cause instanceof TomlError ? `: line ${cause.line}, column ${cause.column}` : ""}.`,
    })
    const { agents } = yield* Result.mapError(decode(toml), (error) => `${SchemaProblem.explain(error)}.`)
    const nul = SchemaProblem.nul(toml)
    if (nul !== undefined) return yield* Result.fail(`${nul}.`)
    const entries = Object.entries(agents)
    if (entries.length === 0) return yield* Result.fail("`agents` is empty; expected at least one agent.")
    const names = entries.flatMap(([agent, { workspaces }]) => [
      [`agents.${agent}`, agent] as const,
      ...Object.keys(workspaces).map((one) => [`agents.${agent}.workspaces.${one}`, one] as const),
    ])
    const bad = names.find(([, one]) => !name.test(one))
    if (bad !== undefined) {
      return yield* Result.fail(`\`${bad[0].slice(0, 200)}\`: a name has 1 to 64 letters, digits, "_", "." and "-".`)
    }
    return entries
  })

const agentOf = Effect.fnUntraced(function* (
  name: string,
  entry: Entry,
  env: Environment,
): Effect.fn.Return<RunnerAgent, string> {
  const { callerOptions, command, options, provider = name } = entry
  const at = `agents.${name}`
  const agent = known.find((one) => one.name === provider)
  if (agent === undefined) {
    const place = entry.provider === undefined ? `\`${at}\` is no provider's name: \`provider\`` : `\`${at}.provider\``
    return yield* Effect.fail(`${place} must be one of ${known.map((one) => one.name).join(", ")}.`)
  }
  const workspaces = yield* Effect.fromResult(directories(`${at}.workspaces`, entry.workspaces))
  const variables = yield* Effect.fromResult(variablesOf(`${at}.env`, entry.env ?? [], env))
  const client = yield* Effect.promise(agent.client)
  const start = { env: variables, ...(command === undefined ? {} : { command }) }
  yield* checked(`${at}.options`, client, options ?? {})
  return {
    driver: client.driver,
    local: (options) => client.local({ ...start, options }),
    workspaces,
    ...(options === undefined ? {} : { options }),
    ...(callerOptions === undefined ? {} : { callerOptions }),
  }
})

/** The directories of workspaces, with links resolved: a link that changes later leads nowhere else. */
const directories = (at: string, given: Entry["workspaces"]): Result.Result<Entry["workspaces"], string> =>
  Result.gen(function* () {
    const entries = Object.entries(given)
    if (entries.length === 0) return yield* Result.fail(`\`${at}\` is empty; expected at least one directory.`)
    const found: Record<string, string> = {}
    for (const [name, path] of entries) {
      const place = `\`${at}.${name}\``
      if (!isAbsolute(path)) return yield* Result.fail(`${place} is not an absolute path.`)
      const problem = WorkingDirectory.problem(path, place)
      if (problem !== undefined) return yield* Result.fail(`${place}: ${path} ${problem}`)
      found[name] = realpathSync(path)
    }
    return found
  })

const variablesOf = (
  at: string,
  names: ReadonlyArray<string>,
  env: Environment,
): Result.Result<Record<string, string>, string> =>
  Result.gen(function* () {
    const found: Record<string, string> = {}
    for (const [number, name] of names.entries()) {
      const place = `\`${at}.${number}\``
      if (!/^[A-Za-z_]\w*$/.test(name)) return yield* Result.fail(`${place} is not the name of a variable.`)
      if (name === databaseUrl) {
        return yield* Result.fail(`${place}: ${name} stays with the runner: an agent with it could take any session.`)
      }
      const value = env[name]
      if (value === undefined) return yield* Result.fail(`${place}: the runner's environment has no variable ${name}.`)
      found[name] = value
    }
    return found
  })

/** No command has this name: the options are checked before it is started. */
const noServer = "/dev/null/no-server"

const checked = (at: string, client: AgentClient, options: Entry["options"] & {}) =>
  Effect.gen(function* () {
    const config = client.local({ server: noServer, options })
    const driver = yield* client.driver
    yield* driver.connect(yield* Effect.fromResult(McpConnectionConfig.parse(config)), "" as never)
  }).pipe(
    Effect.scoped,
    Effect.catch(({ _tag, message }) =>
      _tag === "InvalidRequest" ? Effect.fail(`\`${at}\`: ${message}`) : Effect.void,
    ),
  )
