/**
 * How clients reach a server of ours, by the arguments of its command.
 */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** What carries messages: our own pipes, or one of the ways to listen. */
export type Kind = "stdio" | Listening["kind"]

/** Where and for whom a server listens. */
export interface Listening {
  readonly kind: "http" | "sse" | "ws"
  readonly host: string
  readonly port: number
  readonly tokenFile: string | undefined
  readonly allowedHosts: ReadonlyArray<string>
  readonly allowedOrigins: ReadonlyArray<string>
  readonly maxSessions: number | undefined
  readonly sessionIdle: Duration.Duration | undefined
  readonly json: boolean
}

export type Front = { readonly kind: "stdio" } | Listening

const text = { type: "string" } as const
const texts = { type: "string", multiple: true } as const
const flag = { type: "boolean" } as const

/** The options of a front that listens, as `node:util` parses them. */
export const options = {
  host: text,
  port: text,
  "token-file": text,
  "allow-host": texts,
  "allow-origin": texts,
  "max-sessions": text,
  "session-idle": text,
  json: flag,
} as const satisfies ParseArgsOptionsConfig

/** Their values. */
export interface Values {
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly "token-file"?: string | undefined
  readonly "allow-host"?: ReadonlyArray<string> | undefined
  readonly "allow-origin"?: ReadonlyArray<string> | undefined
  readonly "max-sessions"?: string | undefined
  readonly "session-idle"?: string | undefined
  readonly json?: boolean | undefined
}

/** Where a command listens unless it is told otherwise; port 0 is any free one. */
export interface Defaults {
  readonly host: string
  readonly port: number
}

/**
 * @param kind what was asked for
 * @param listening the kinds of this command that listen, for people
 * @returns the front, or one sentence on what is wrong
 */
export const parse = (
  kind: Kind,
  values: Values,
  listening: string,
  defaults: Defaults = { host: "127.0.0.1", port: 0 },
): Result.Result<Front, string> =>
  Result.gen(function* () {
    if (kind === "stdio") {
      const misplaced = Object.keys(options).find((name) => name in values)
      return misplaced === undefined ? { kind } : yield* Result.fail(`--${misplaced} is for ${listening} only.`)
    }
    if (kind === "ws" && values["session-idle"] !== undefined) {
      return yield* Result.fail("--session-idle is not for ws: a session lasts as long as its WebSocket.")
    }
    return {
      kind,
      host: values.host ?? defaults.host,
      port: yield* wholeNumber("--port", values.port ?? String(defaults.port), 65_535),
      tokenFile: values["token-file"],
      allowedHosts: values["allow-host"] ?? [],
      allowedOrigins: values["allow-origin"] ?? [],
      maxSessions: yield* optional("--max-sessions", values["max-sessions"], (name, given) =>
        wholeNumber(name, given, 1_000_000, 1),
      ),
      sessionIdle: yield* optional("--session-idle", values["session-idle"], duration),
      json: values.json ?? false,
    }
  })

/** The arguments of a command by its options, or one sentence on what is wrong. */
export const read = <const Config extends ParseArgsOptionsConfig>(args: ReadonlyArray<string>, config: Config) =>
  Result.try({
    try: () => parseArgs({ args: [...args], options: config, allowPositionals: true, strict: true }),
    catch: (cause) => (cause instanceof Error ? (cause.message.split(/\. To |\n/)[0] ?? cause.message) : String(cause)),
  })

/** A value that may be left out. `name`: of the option or variable, as people write it. */
export const optional = <A>(
  name: string,
  given: string | undefined,
  as: (name: string, given: string) => Result.Result<A, string>,
): Result.Result<A | undefined, string> => (given === undefined ? Result.succeed(undefined) : as(name, given))

export const wholeNumber = (name: string, given: string, max: number, min = 0): Result.Result<number, string> =>
  /^\d{1,15}$/.test(given) && Number(given) >= min && Number(given) <= max
    ? Result.succeed(Number(given))
    : Result.fail(`${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(given)}.`)

export const duration = (name: string, given: string): Result.Result<Duration.Duration, string> => {
  const read = Duration.fromInput(given as Duration.Input)
  return Option.isSome(read) && Duration.isPositive(read.value)
    ? Result.succeed(read.value)
    : Result.fail(`${name} takes a duration such as "30 seconds" or "5 minutes", not ${JSON.stringify(given)}.`)
}

/** What `--help` says of them. */
export const help = (port = "any free one"): string => `\
  --host HOST              the address to listen on (default: 127.0.0.1); another one needs --token-file
  --port PORT              the port to listen on (default: ${port})
  --token-file FILE        bearer tokens, one a line, in a file that only its owner can read
  --allow-host HOST        one more name that clients may call this server by; repeatable
  --allow-origin ORIGIN    a web page's origin that may use this server; repeatable
  --max-sessions COUNT     how many clients there may be at once
  --session-idle TIME      when an HTTP client without request, stream or call is forgotten (default: "30 minutes")
  --json                   also prints where it listens as one line of JSON on standard output`
