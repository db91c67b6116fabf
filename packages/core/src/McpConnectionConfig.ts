/**
 * Where an MCP server is, how to reach it, and the limits that hold while talking to it.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type InvalidRequest, invalidConfig } from "./McpError.ts"
import { McpTransport } from "./McpTransport.ts"
import * as SchemaProblem from "./SchemaProblem.ts"
import * as StdioUrl from "./StdioUrl.ts"

/**
 * A secret, or a plain string that becomes one: in a constructor below, or when a session opens. From then on it shows in
 * no message, log or JSON. A configuration written as a plain object shows its plain strings until then.
 */
export type Secret = string | Redacted.Redacted<string>

/**
 * TLS of one connection. All of it is PEM text, as in a file; several certificates stand one after the other. Sessions
 * with another `tls` never share a connection.
 *
 * - `ca`: the authorities that may vouch for the server, in place of the platform's own
 * - `cert`, `key`: the client's certificate, and its private key without a passphrase; one needs the other
 */
export interface McpTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: Secret
}

/**
 * The limits of a connection. A number of a duration is milliseconds.
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, type McpLimits } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const impatient: McpLimits = { idleTimeout: "1 minute", maxWaiting: 16 }
 *
 * // 1 execute has its turn and 16 wait; the 18th fails at once: ConnectionUnavailable, rate-limited, not-sent.
 * const program = Effect.gen(function* () {
 *   const client = yield* InMemoryMcpClient.make({ reply: () => Effect.never })
 *   const session = yield* client.openSession({ ...InMemoryMcpClient.config, ...impatient })
 *   return yield* Effect.replicateEffect(client.execute(session, { content: "Go" }), 18, { concurrency: "unbounded" })
 * })
 * ```
 */
export interface McpLimits {
  /** From the start of `openSession` to a completed handshake. 30 seconds. */
  readonly connectTimeout?: Duration.Input
  /** The longest silence of a turn: any event or progress restarts it. 5 minutes. */
  readonly idleTimeout?: Duration.Input
  /** From the polite end of a session to the last resort. `closeSession` takes at most a second more. 2 seconds. */
  readonly closeGrace?: Duration.Input
  /** The longest single message, in bytes. 64 MiB; at most half a GiB. */
  readonly maxMessageBytes?: number
  /** How many arrays and objects of a message may stand in one another. Judged above 1 MiB, before it is parsed. 1,000. */
  readonly maxMessageDepth?: number
  /** How many values the arrays and objects of a message may hold together. Judged as the depth is. 1,000,000. */
  readonly maxMessageElements?: number
  /**
   * How many bytes of events may wait for the readers of the session, at 2 bytes a character. Events that find no room
   * are dropped and counted. 32 MiB.
   *
   * @see McpEvents
   */
  readonly maxEventBytes?: number
  /** How many executes of a session may wait for their turn. One more is `rate-limited` at once. 1,024. */
  readonly maxWaiting?: number
}

/**
 * What `openSession` takes. `serverUrl` and `transport` alone are enough; the constructors below build both, and hide the
 * values of `env` and `headers`.
 *
 * - `serverUrl`: never empty. For stdio the command as a URL: `stdio:codex?arg=mcp-server`
 * - `env`: variables for the server's process, beside the provider's allow-list (stdio)
 * - `headers`: sent with every request (Streamable HTTP, SSE)
 * - `tls`: a certificate authority and a client certificate of its own (Streamable HTTP and SSE over https)
 * - `providerOptions`: what only one provider knows; read by the provider's own schema
 *
 * @see seed, `McpConnectionConfig`; requirements 2.1 and 3.1
 */
export interface McpConnectionConfig extends McpLimits {
  readonly serverUrl: string
  readonly transport: McpTransport
  readonly env?: Readonly<Record<string, Secret>>
  readonly headers?: Readonly<Record<string, Secret>>
  readonly tls?: McpTls
  readonly providerOptions?: Readonly<Record<string, unknown>>
}

type Times = "connectTimeout" | "idleTimeout" | "closeGrace"

/** A configuration that `parse` has read: every limit known, every secret redacted. It is an `McpConnectionConfig` too. */
export interface Parsed
  extends Required<Omit<McpConnectionConfig, Times | "env" | "headers" | "tls">>,
    Readonly<Record<Times, Duration.Duration>> {
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly tls?: McpTls & { readonly key?: Redacted.Redacted<string> }
}

const isPositiveDuration = (input: unknown): input is Duration.Input =>
  Option.match(Duration.fromInput(input as Duration.Input), { onNone: () => false, onSome: Duration.isPositive })

const Limit = (fallback: Duration.Input) => {
  const usual = Duration.fromInputUnsafe(fallback)
  return Schema.declare(isPositiveDuration, { expected: 'a duration above zero, such as "30 seconds" or 30000' }).pipe(
    Schema.decodeTo(
      Schema.Duration,
      SchemaTransformation.transform({
        decode: Duration.fromInputUnsafe,
        encode: (duration): Duration.Input => duration,
      }),
    ),
    // One value for all that do not say otherwise: a duration is read as it is.
    Schema.withDecodingDefaultKey(Effect.succeed(usual)),
  )
}

const SecretText = Schema.Union([Schema.Redacted(Schema.String), Schema.RedactedFromValue(Schema.String)])

const Secrets = Schema.Record(Schema.String, SecretText).pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))

/** No engine holds a longer text, and a message is one. */
const longestString = 512 * 1024 * 1024 - 24

const Count = (usual: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(usual)))

const Fields = Schema.Struct({
  serverUrl: Schema.NonEmptyString,
  transport: McpTransport,
  env: Secrets,
  headers: Secrets,
  tls: Schema.optionalKey(
    Schema.Struct({
      ca: Schema.optionalKey(Schema.NonEmptyString),
      cert: Schema.optionalKey(Schema.NonEmptyString),
      key: Schema.optionalKey(SecretText),
    }),
  ),
  providerOptions: Schema.Record(Schema.String, Schema.Unknown).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  connectTimeout: Limit("30 seconds"),
  idleTimeout: Limit("5 minutes"),
  closeGrace: Limit("2 seconds"),
  maxMessageBytes: Count(64 * 1024 * 1024, longestString),
  maxMessageDepth: Count(1_000),
  maxMessageElements: Count(1_000_000),
  maxEventBytes: Count(32 * 1024 * 1024),
  maxWaiting: Count(1_024),
})

const decode = Schema.decodeUnknownResult(Fields, { onExcessProperty: "error" })

const invalid = (message: string) => Result.fail(invalidConfig(message))

/**
 * Turns anything into a configuration.
 *
 * @param input an `McpConnectionConfig`, or what was read from a file. An unknown key is an error, not ignored.
 * @returns the configuration, or `InvalidRequest` with reason `invalid-config` and the path of what is wrong
 *
 * @example
 * ```ts
 * import { McpConnectionConfig } from "@zain/core"
 *
 * McpConnectionConfig.parse({ serverUrl: "stdio:codex?arg=mcp-server", transport: "stdio" })
 * McpConnectionConfig.parse({ serverUrl: "https://agents.example/mcp", transport: "streamable-http" })
 * ```
 */
export const parse = (input: unknown): Result.Result<Parsed, InvalidRequest> => {
  const decoded = decode(input)
  if (Result.isFailure(decoded)) {
    return invalid(`The connection's configuration is wrong: ${SchemaProblem.explain(decoded.failure)}.`)
  }
  const config = decoded.success
  if (config.transport === "stdio") {
    if (config.tls !== undefined) {
      return invalid("`tls` is for connections over https; a stdio server has none. Remove it.")
    }
    const nul = nulOf(config)
    if (nul !== undefined) return invalid(`The connection's configuration is wrong: ${nul}.`)
    return StdioUrl.isStdioUrl(config.serverUrl)
      ? Result.succeed(config)
      : invalid(
          'The `serverUrl` of a stdio connection is the command as a URL, such as "stdio:my-agent?arg=serve". ' +
            "McpConnectionConfig.stdio({ command, args }) builds it.",
        )
  }
  const url = URL.canParse(config.serverUrl) ? new URL(config.serverUrl) : undefined
  if (url?.username || url?.password) {
    return invalid("A `serverUrl` must hold no user and no password: it shows in logs. Give them in `headers`.")
  }
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    return invalid(`The \`serverUrl\` of a ${config.transport} connection must be an http or https URL.`)
  }
  if (config.tls === undefined) return Result.succeed(config)
  if (url.protocol === "http:") return invalid("`tls` needs an https URL in `serverUrl`, and this one is http.")
  return (config.tls.cert === undefined) === (config.tls.key === undefined)
    ? Result.succeed(config)
    : invalid("A client certificate needs both `tls.cert` and `tls.key`.")
}

/** No process can be given such a text. Node's own refusal would repeat it. */
const nulOf = ({ env, serverUrl }: Parsed): string | undefined => {
  const nulAt = serverUrl.search(/%00|\0/)
  if (nulAt < 0) return SchemaProblem.nul(Record.map(env, Redacted.value), ["env"])
  const name = /.*[?&](arg|cwd)=/s.exec(serverUrl.slice(0, nulAt))?.[1]
  return SchemaProblem.nul("\0", [name === undefined ? "command" : name === "arg" ? "args" : "cwd"])
}

/** The values as secrets. What is no such record is for `parse` to refuse. */
const hidden = <Given>(values: Given): Given | Readonly<Record<string, Secret>> =>
  isRecord(values) ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(value)])) : values

const hide = (value: Secret): Secret => (typeof value === "string" ? Redacted.make(value) : value)

const isRecord = (value: unknown): value is Readonly<Record<string, Secret>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What the stdio constructor takes. `cwd` is the directory the process starts in; its own by default. */
export interface StdioOptions extends McpLimits {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  readonly cwd?: string
  readonly env?: Readonly<Record<string, Secret>>
  readonly providerOptions?: Readonly<Record<string, unknown>>
}

/**
 * A server that is a process of ours.
 *
 * @param options the command and its arguments, passed as they are: no shell reads them
 *
 * @example
 * ```ts
 * import { McpConnectionConfig } from "@zain/core"
 *
 * McpConnectionConfig.stdio({ command: "codex", args: ["mcp-server"], connectTimeout: "10 seconds" })
 * ```
 */
export const stdio = ({ args, command, cwd, env, ...rest }: StdioOptions): McpConnectionConfig => ({
  ...rest,
  ...(env === undefined ? {} : { env: hidden(env) }),
  serverUrl: StdioUrl.format({ command, args: args ?? [], ...(cwd === undefined ? {} : { cwd }) }),
  transport: "stdio",
})

/** What the HTTP constructors take. `bearerToken` becomes the header `authorization`. */
export interface HttpOptions extends McpLimits {
  readonly url: string | URL
  readonly bearerToken?: Secret
  readonly headers?: Readonly<Record<string, Secret>>
  readonly tls?: McpTls
  readonly providerOptions?: Readonly<Record<string, unknown>>
}

const http =
  (transport: "streamable-http" | "sse") =>
  ({ bearerToken, headers, tls, url, ...rest }: HttpOptions): McpConnectionConfig => ({
    ...rest,
    ...(tls === undefined ? {} : { tls: tls.key === undefined ? tls : { ...tls, key: hide(tls.key) } }),
    ...(bearerToken === undefined && headers === undefined ? {} : { headers: withToken(hidden(headers), bearerToken) }),
    serverUrl: String(url),
    transport,
  })

const withToken = (headers: HttpOptions["headers"] = {}, token: Secret | undefined) =>
  token === undefined || !isRecord(headers)
    ? headers
    : {
        ...headers,
        authorization: Redacted.make(`Bearer ${Redacted.isRedacted(token) ? Redacted.value(token) : token}`),
      }

/**
 * A server that is reached over Streamable HTTP.
 *
 * @example
 * ```ts
 * import { McpConnectionConfig } from "@zain/core"
 *
 * McpConnectionConfig.streamableHttp({ url: "https://agents.example/mcp", bearerToken: "the token" })
 *
 * // A server whose certificate is of the company's own authority.
 * const ca = "-----BEGIN CERTIFICATE-----…"
 * McpConnectionConfig.sse({ url: "https://agents.internal/sse", tls: { ca } })
 * ```
 */
export const streamableHttp: (options: HttpOptions) => McpConnectionConfig = http("streamable-http")

/** A server that is reached over HTTP with server-sent events, the older of the two. */
export const sse: (options: HttpOptions) => McpConnectionConfig = http("sse")
