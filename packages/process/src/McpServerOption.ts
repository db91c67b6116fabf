/**
 * The options about MCP servers and directories that a session hands to its agent, the same for every agent.
 *
 * @see docs/guides/mcp-servers.md; docs/internals/promises.md, 19 and 41
 */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Environment from "./Environment.ts"
import * as HeaderSecrets from "./HeaderSecrets.ts"

/** A secret, as a string or as `Redacted`. */
type Secret = string | Redacted.Redacted<string>

/** On the wire a string; in a process a string or `Redacted`. */
const secret = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Union([Schema.String, Schema.Redacted(Schema.String)]),
    SchemaTransformation.transform<Secret, string>({
      decode: (text) => Redacted.make(text),
      encode: (one) => (Redacted.isRedacted(one) ? Redacted.value(one) : one),
    }),
  ),
)
const secrets = Schema.optionalKey(Schema.Record(Schema.String, secret))

const common = {
  /** Whether `openSession` fails if the server does not start; otherwise that is an event `ServerFailed`. `false` by default. */
  required: Schema.optionalKey(Schema.Boolean),
  /** The names of the server's tools that the agent may use. If omitted, all. */
  tools: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
} as const

const stdio = Schema.Struct({
  /** A program of the machine that the agent runs on, with which it speaks over standard input and output. */
  type: Schema.Literal("stdio"),
  /** The program. It runs without the agent's sandbox. */
  command: Schema.NonEmptyString,
  /** Its arguments, which every user of the machine can read: no secrets. */
  args: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Variables of its environment, beside few of the agent's own. */
  env: secrets,
  ...common,
})

const http = Schema.Struct({
  /** A server that runs already, over Streamable HTTP. */
  type: Schema.Literal("http"),
  /** Its address, with `http` or `https`. Secrets belong in `headers`. */
  url: Schema.String.check(Schema.isPattern(/^https?:\/\//, { expected: "an http or https URL" })),
  /** Headers of each request. */
  headers: secrets,
  ...common,
})

/** A server that the thread has, and that this session has not given again. */
const lacking = Schema.Struct({
  /** A server whose name alone is known. */
  type: Schema.Literal("lacking"),
  /** Whether the thread requires it. */
  required: common.required,
})

const name = Schema.String.check(
  Schema.isPattern(/^[a-zA-Z](?:_?[a-zA-Z0-9-]){0,63}$/, {
    expected: "letters, digits, dashes and single underscores",
  }),
)
const record = <Server extends Schema.Top>(server: Server) => Schema.Record(name, server)

const description = "MCP servers for this thread, by their names. Give them with each session: they are not stored."

/** The schema of the option `mcpServers` of a session. */
export const ofSession = Schema.optionalKey(Schema.toType(record(Schema.Union([stdio, http]))))

/** MCP servers by their names, as a session hands them over. */
export type McpServers = typeof ofSession.Type

/** The schema of the argument of the agent servers' tools for them: its secrets are strings. */
export const ofThread = Schema.optionalKey(record(Schema.Union([stdio, http, lacking])).annotate({ description }))

/** MCP servers of a thread by their names; `lacking` are those that its session has not given. */
export type ThreadServers = typeof ofThread.Type | undefined

/** The schema of the option `directories`, and of the argument for it. */
export const directories = Schema.optionalKey(
  Schema.Array(Schema.NonEmptyString).annotate({
    description: "Further directories to work in, absolute; what may write in the thread's own may write there.",
  }),
)

/** Names of the arguments of the agent servers' tools for `mcpServers`. */
export const names = {
  /** Argument `mcp-servers` of the agent server's tools, for the option `mcpServers`. */
  mcpServers: "mcp-servers",
} as const

/**
 * Returns the values of variables, or of headers, in plain text.
 *
 * @param values the values by their names; none by default
 */
export const plain = (values: Readonly<Record<string, Secret>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).map(([name, one]) => [name, Redacted.isRedacted(one) ? Redacted.value(one) : one]),
  )

/**
 * Returns the secrets of servers: values of headers and of variables, except those that are paths and locales by their names.
 *
 * @param servers the servers by their names; none if `undefined`
 */
export const secretsOf = (servers: ThreadServers): ReadonlyArray<string> =>
  Object.values(servers ?? {}).flatMap((server) => {
    if (server.type === "http") return HeaderSecrets.of(plain(server.headers))
    if (server.type !== "stdio") return []
    const given = Object.entries(plain(server.env)).map(([name, value]) => [name, Redacted.make(value)] as const)
    return Environment.make({}, [], Object.fromEntries(given)).secrets
  })
