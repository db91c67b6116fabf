/**
 * Where an MCP server is, how to reach it, and the limits that hold while talking to it.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { type InvalidRequest, invalidConfig } from "./McpError.ts"
import type { McpTool } from "./McpTool.ts"
import { McpTransport } from "./McpTransport.ts"
import * as PositiveDuration from "./PositiveDuration.ts"
import * as SchemaProblem from "./SchemaProblem.ts"
import * as StdioUrl from "./StdioUrl.ts"

/**
 * A secret, as a plain string or as Effect's `Redacted`. `stdio`, `streamableHttp`, `sse` and a TransportFactory wrap
 * plain strings in `Redacted`, which prints and serializes as `<redacted>`. A configuration that is written as a plain
 * object prints its plain strings until `openSession` parses it. No error shows a secret.
 *
 * @see docs/internals/promises.md, 19
 */
export type Secret = string | Redacted.Redacted<string>

/** The TLS certificates of one connection over https. Sessions with different `tls` never share a connection. */
export interface McpTls {
  /**
   * The certificate authorities to trust, in place of Node's own: the PEM text of one or more certificates, not a path.
   *
   * @example
   * ```ts
   * import { McpConnectionConfig } from "@zain/core"
   * import { readFileSync } from "node:fs"
   *
   * const ca = readFileSync("/etc/ssl/company-ca.pem", "utf8")
   * McpConnectionConfig.streamableHttp({ url: "https://agents.internal/mcp", tls: { ca } })
   * ```
   */
  readonly ca?: string
  /** The client certificate to present to the server, as PEM text, its chain appended. Requires `key`. */
  readonly cert?: string
  /** The private key of `cert`, as PEM text without a passphrase. Requires `cert`. */
  readonly key?: Secret
}

/**
 * The limits of a connection, each with a default. A duration is text such as `"30 seconds"`, a number of milliseconds,
 * or Effect's `Duration`.
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, type McpLimits } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const impatient: McpLimits = { idleTimeout: "1 minute", maxWaiting: 16 }
 *
 * // 1 execute has its turn and 16 wait; the 18th fails immediately: ConnectionUnavailable, rate-limited, not-sent.
 * const program = Effect.gen(function* () {
 *   const client = yield* InMemoryMcpClient.make({ reply: () => Effect.never })
 *   const session = yield* client.openSession({ ...InMemoryMcpClient.config, ...impatient })
 *   return yield* Effect.replicateEffect(client.execute(session, { content: "Go" }), 18, { concurrency: "unbounded" })
 * })
 * ```
 */
export interface McpLimits {
  /**
   * How long `openSession` may take, from its start to the completed MCP handshake; then it fails with
   * `ConnectionUnavailable`, `connect-timeout`. 30 seconds by default. Raise it for commands that start slowly, such as
   * `npx` when it downloads a package.
   *
   * @see docs/internals/promises.md, 1
   */
  readonly connectTimeout?: Duration.Input
  /**
   * How long a turn may be silent; then its `execute` fails with `ConnectionUnavailable`, `stalled`. 5 minutes by
   * default. Every event, progress notification and heartbeat restarts it, and it stops while an approval is decided.
   *
   * @see docs/internals/promises.md, 1
   */
  readonly idleTimeout?: Duration.Input
  /**
   * How long a server has to end by itself when its session closes: text such as `"2 seconds"`, the default, or a
   * number of milliseconds. Over stdio its standard input is closed first; its processes receive SIGTERM after half of
   * this time at the latest, and SIGKILL after all of it. Over Streamable HTTP the DELETE request that ends the session
   * is abandoned after this time. `closeSession` takes at most this time and one second.
   *
   * @see docs/internals/promises.md, 9
   */
  readonly closeGrace?: Duration.Input
  /**
   * The largest message that the server may send, in bytes. 64 MiB by default, from 1 to 536,870,888 (512 MiB less 24).
   * A larger one fails its `execute` with `ConnectionUnavailable`, `message-too-large`; the session stays open.
   *
   * @see docs/internals/promises.md, 14
   */
  readonly maxMessageBytes?: number
  /**
   * How deep arrays and objects of a message may be nested. 1,000 by default. Checked for messages of more than 1 MiB,
   * before they are parsed; a deeper one fails its `execute` with `ConnectionUnavailable`, `message-too-large`.
   *
   * @see docs/internals/promises.md, 14
   */
  readonly maxMessageDepth?: number
  /**
   * How many values all arrays and objects of a message may hold together. 1,000,000 by default. Checked for messages
   * of more than 1 MiB, before they are parsed; a message with more fails its `execute` with `ConnectionUnavailable`,
   * `message-too-large`.
   *
   * @see docs/internals/promises.md, 14
   */
  readonly maxMessageElements?: number
  /**
   * How many bytes of events may wait for the readers of the session, counted at 2 bytes a character. 32 MiB by
   * default. A reader that falls further behind misses events and receives their number in a `Dropped` event.
   *
   * @see McpEvents; docs/internals/promises.md, 14
   */
  readonly maxEventBytes?: number
  /**
   * How many calls of `execute` may wait for their turn in the session. 1,024 by default. One more fails immediately
   * with `ConnectionUnavailable`, `rate-limited`, delivery `not-sent`.
   *
   * @see docs/decisions/0014-bounds.md
   */
  readonly maxWaiting?: number
  /**
   * How many bytes the attachments of one request may have together. 2.75 MiB by default: in base64, they fit into the
   * 4 MiB that Zain's servers read over HTTP. Raise it over stdio, or for a server that reads more.
   *
   * @see docs/guides/images-and-files.md
   */
  readonly maxAttachmentBytes?: number
}

/**
 * The argument of `openSession`: where an MCP server is, how to reach it, and the limits of the connection. `serverUrl`
 * and `transport` are required; `stdio`, `streamableHttp`, `sse` and a TransportFactory build both.
 *
 * @see seed, `McpConnectionConfig`; requirements 2.1 and 3.1
 */
export interface McpConnectionConfig extends McpLimits {
  /**
   * The address of the server: an `http:` or `https:` URL without user and password, or for stdio the command as a URL,
   * such as `stdio:codex?arg=mcp-server`. Never empty.
   */
  readonly serverUrl: string
  /**
   * How to reach the server: `"stdio"` starts a process; `"streamable-http"` and `"sse"` connect to a running server.
   */
  readonly transport: McpTransport
  /**
   * Environment variables for the server's process (stdio only), beside the usual ones (`PATH`, `HOME`, locale,
   * terminal) and those that the provider allows. No other variable of this process is passed. If omitted, none is
   * added.
   */
  readonly env?: Readonly<Record<string, Secret>>
  /**
   * HTTP headers that every request carries (Streamable HTTP and SSE only), such as `authorization`. None by default.
   */
  readonly headers?: Readonly<Record<string, Secret>>
  /**
   * A certificate authority and a client certificate for this connection (https only). Node's own authorities by
   * default.
   */
  readonly tls?: McpTls
  /**
   * Options of one provider, such as `model` or `threadId`, checked by the provider's schema; an unknown name fails
   * with `InvalidRequest`, `invalid-config`. They override the options of the adapter, one by one.
   */
  readonly providerOptions?: Readonly<Record<string, unknown>>
  /**
   * Whether the sessions of one client share one process if they have the same command, environment and directory; it ends
   * with the last of them. For Zain's agent servers only (stdio): `local` sets it, and any other provider refuses it with
   * `invalid-config`. False by default.
   */
  readonly shared?: boolean
  /**
   * Functions of this process that the agent's model can call in every turn of the session; at most 64, none by default. Where
   * `supports.tools` of the client is false, `openSession` fails with `not-supported`. A tool needs no approval, unless a rule
   * declines it.
   *
   * @see McpTool; docs/guides/tools-of-your-own.md
   */
  readonly tools?: ReadonlyArray<McpTool>
}

type Times = "connectTimeout" | "idleTimeout" | "closeGrace"

/**
 * A configuration that `parse` has read: every limit set, every duration a `Duration`, every secret `Redacted`. It is a
 * valid `McpConnectionConfig` too.
 */
export interface Parsed
  extends Required<Omit<McpConnectionConfig, Times | "env" | "headers" | "tls">>,
    Readonly<Record<Times, Duration.Duration>> {
  /** Environment variables to add for the server's process; empty if none were given. */
  readonly env: Readonly<Record<string, Redacted.Redacted<string>>>
  /** HTTP headers for every request; empty if none were given. */
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  /** The certificates of the connection, its private key `Redacted`; absent if none were given. */
  readonly tls?: McpTls & {
    /** The private key of `cert`, as PEM text. */
    readonly key?: Redacted.Redacted<string>
  }
}

const isPositiveDuration = (input: unknown): input is Duration.Input => Option.isSome(PositiveDuration.read(input))

const Limit = (fallback: Duration.Input) => {
  const usual = Duration.fromInputUnsafe(fallback)
  return Schema.declare(isPositiveDuration, { expected: PositiveDuration.expected }).pipe(
    Schema.decodeTo(
      Schema.Duration,
      SchemaTransformation.transform({
        decode: Duration.fromInputUnsafe,
        encode: (duration): Duration.Input => duration,
      }),
    ),
    // All configurations without this limit share one value: a Duration is immutable.
    Schema.withDecodingDefaultKey(Effect.succeed(usual)),
  )
}

const SecretText = Schema.Union([Schema.Redacted(Schema.String), Schema.RedactedFromValue(Schema.String)])

const Secrets = Schema.Record(Schema.String, SecretText).pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))

/** The longest string that V8 holds; a message is parsed from one string. */
const maxStringLength = 512 * 1024 * 1024 - 24

const Count = (usual: number, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(usual)))

/** `OwnTools.read` checks the rest, which takes longer. */
const areTools = (value: unknown): value is ReadonlyArray<McpTool> =>
  Array.isArray(value) && value.every((one) => Predicate.isObject(one) && typeof one["run"] === "function")

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
  shared: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  tools: Schema.declare(areTools, { expected: "a list of tools, as McpTool.make makes them" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed([])),
  ),
  connectTimeout: Limit("30 seconds"),
  idleTimeout: Limit("5 minutes"),
  closeGrace: Limit("2 seconds"),
  maxMessageBytes: Count(64 * 1024 * 1024, maxStringLength),
  maxMessageDepth: Count(1_000),
  maxMessageElements: Count(1_000_000),
  maxEventBytes: Count(32 * 1024 * 1024),
  maxWaiting: Count(1_024),
  maxAttachmentBytes: Count(2.75 * 1024 * 1024),
})

const decode = Schema.decodeUnknownResult(Fields, { onExcessProperty: "error" })

const invalid = (message: string) => Result.fail(invalidConfig(message))

/**
 * Checks a configuration, fills in its defaults, and wraps its secrets in `Redacted`.
 *
 * @param input an `McpConnectionConfig`, or a value from a file. An unknown key is an error.
 * @returns the configuration, or a failure with `InvalidRequest`, `invalid-config`, whose message names the path of the
 *   first wrong value and never shows the value
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
  if (config.shared) return invalid("`shared` is for servers that a session starts; this one runs already. Remove it.")
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

/** No argument, variable or path of a process can hold a NUL character. Node's own error would show the value. */
const nulOf = ({ env, serverUrl }: Parsed): string | undefined => {
  const nulAt = serverUrl.search(/%00|\0/)
  if (nulAt < 0) return SchemaProblem.nul(Record.map(env, Redacted.value), ["env"])
  const names = serverUrl.slice(0, nulAt).matchAll(/[?&](arg|cwd)=/g)
  const name = [...names].at(-1)?.[1]
  return SchemaProblem.nul("\0", [name === undefined ? "command" : name === "arg" ? "args" : "cwd"])
}

/** Wraps the values. Anything but a record is returned unchanged, for `parse` to report. */
const hidden = <Given>(values: Given): Given | Readonly<Record<string, Secret>> =>
  isRecord(values) ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(value)])) : values

const hide = (value: Secret): Secret => (typeof value === "string" ? Redacted.make(value) : value)

const isRecord = (value: unknown): value is Readonly<Record<string, Secret>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The options of `McpConnectionConfig.stdio`: a command to start, and the limits of the connection. */
export interface StdioOptions extends McpLimits {
  /** The program to start: a name to find on `PATH`, or an absolute path. No shell interprets it. */
  readonly command: string
  /** The arguments of the command, passed unchanged: no shell splits or expands them. None by default. */
  readonly args?: ReadonlyArray<string>
  /**
   * The directory to start the process in; this process's working directory by default. If it does not exist,
   * `openSession` fails with `spawn-failed`.
   */
  readonly cwd?: string
  /**
   * Environment variables for the server's process, beside the usual ones (`PATH`, `HOME`, locale, terminal) and those
   * that the provider allows. No other variable of this process is passed. If omitted, none is added.
   */
  readonly env?: Readonly<Record<string, Secret>>
  /**
   * Options of one provider, such as `model`, checked by the provider's schema. They override the adapter's, one by
   * one.
   */
  readonly providerOptions?: Readonly<Record<string, unknown>>
  /**
   * Whether the sessions of one client share one process if they have the same command, environment and directory; it ends
   * with the last of them. For Zain's agent servers only (stdio): `local` sets it, and any other provider refuses it with
   * `invalid-config`. False by default.
   */
  readonly shared?: boolean
}

/**
 * The configuration of a server that `openSession` starts as a child process and speaks to over stdin and stdout. The
 * values of `env` are wrapped in `Redacted`.
 *
 * @param options the command, its arguments, and the limits of the connection; not checked here: `openSession` fails
 *   with `InvalidRequest`, `invalid-config`, if one is malformed
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

/**
 * The options of `McpConnectionConfig.streamableHttp` and `sse`: a URL, credentials, and the limits of the connection.
 */
export interface HttpOptions extends McpLimits {
  /** The `http:` or `https:` URL of the server, without user and password: it shows in logs. */
  readonly url: string | URL
  /**
   * The token of the header `authorization: Bearer …`, which replaces `headers.authorization`. Trim a token from a
   * file.
   */
  readonly bearerToken?: Secret
  /** HTTP headers that every request carries. None by default. */
  readonly headers?: Readonly<Record<string, Secret>>
  /**
   * A certificate authority and a client certificate for this connection (https only). Node's own authorities by
   * default.
   */
  readonly tls?: McpTls
  /**
   * Options of one provider, such as `model`, checked by the provider's schema. They override the adapter's, one by
   * one.
   */
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
 * The configuration of a running server that speaks Streamable HTTP, MCP's current transport over HTTP. The token, the
 * values of `headers` and the private key are wrapped in `Redacted`.
 *
 * @param options the URL, the credentials, and the limits of the connection; not checked here: `openSession` fails with
 *   `InvalidRequest`, `invalid-config`, if one is malformed
 *
 * @example
 * ```ts
 * import { McpConnectionConfig } from "@zain/core"
 *
 * McpConnectionConfig.streamableHttp({ url: "https://agents.example/mcp", bearerToken: "the token" })
 * ```
 */
export const streamableHttp: (options: HttpOptions) => McpConnectionConfig = http("streamable-http")

/**
 * The configuration of a running server that speaks HTTP with server-sent events, MCP's transport before Streamable
 * HTTP.
 *
 * @param options the URL, the credentials, and the limits of the connection; not checked here: `openSession` fails with
 *   `InvalidRequest`, `invalid-config`, if one is malformed
 *
 * @example
 * ```ts
 * import { McpConnectionConfig } from "@zain/core"
 *
 * // A server whose certificate is of the company's own authority.
 * const ca = "-----BEGIN CERTIFICATE-----…"
 * McpConnectionConfig.sse({ url: "https://agents.internal/sse", tls: { ca } })
 * ```
 */
export const sse: (options: HttpOptions) => McpConnectionConfig = http("sse")
