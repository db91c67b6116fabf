/**
 * How clients reach a server of ours, by the arguments of its command.
 */
import * as Result from "effect/Result"
import * as OptionTable from "./OptionTable.ts"
import * as OptionValue from "./OptionValue.ts"

/** What carries messages: our own pipes, or one of the ways to listen. */
export type Kind = Transport["kind"]

export type Transport = { readonly kind: "stdio" } | Readonly<ReturnType<typeof listeningOf>>

/**
 * The options of a front that listens.
 *
 * @param port where it listens unless it is told otherwise; 0 is any free one
 * @param variables the environment variables that stand in for `--host` and `--port`, if any do
 */
export const table = (port = 0, variables: { readonly host?: string; readonly port?: string } = {}) => {
  const { many, one, oneOr } = OptionTable
  const { duration, text, wholeNumber } = OptionValue
  const standIn = (variable: string | undefined) => (variable === undefined ? {} : { variable })
  return {
    host: oneOr(
      "HOST",
      text,
      "127.0.0.1",
      "the address to listen on (default: 127.0.0.1); another one needs --token-file",
      standIn(variables.host),
    ),
    port: oneOr(
      "PORT",
      wholeNumber(0, 65_535),
      port,
      `the port to listen on (default: ${port === 0 ? "any free one" : port})`,
      standIn(variables.port),
    ),
    "token-file": one("FILE", text, "bearer tokens, one a line, in a file that only its owner can read"),
    "allow-host": many("HOST", text, "one more name that clients may call this server by; repeatable"),
    "allow-origin": many("ORIGIN", text, "a web page's origin that may use this server; repeatable"),
    "max-sessions": one("COUNT", wholeNumber(1, 1_000_000), "how many clients there may be at once"),
    "session-idle": one(
      "TIME",
      duration,
      "when an HTTP client without request, stream or call is forgotten (default: 30m)",
    ),
    json: OptionTable.flag("also prints where it listens as one line of JSON on standard output"),
  }
}

type Table = ReturnType<typeof table>

/**
 * @param kind the way that was chosen
 * @param parsed the arguments of the command
 * @param listening its ways that listen, in words
 * @returns how clients reach the server, or one sentence on what is wrong
 */
export const of = (
  kind: Kind,
  { given, values }: Pick<OptionTable.Parsed<Table>, "given" | "values">,
  listening: string,
): Result.Result<Transport, string> => {
  const misplaced = kind === "stdio" ? given.find((name) => name in table()) : undefined
  if (misplaced !== undefined) return Result.fail(`--${misplaced} is for ${listening} only.`)
  if (kind === "stdio") return Result.succeed({ kind })
  if (kind === "ws" && values["session-idle"] !== undefined) {
    return Result.fail("--session-idle is not for ws: a session lasts as long as its WebSocket.")
  }
  return Result.succeed(listeningOf(kind, values))
}

/** Where and for whom a server listens. */
const listeningOf = (kind: "http" | "sse" | "ws", values: OptionTable.Values<Table>) => ({
  kind,
  host: values.host,
  port: values.port,
  json: values.json,
  sessionIdle: values["session-idle"],
  tokenFile: values["token-file"],
  allowedHosts: values["allow-host"],
  allowedOrigins: values["allow-origin"],
  maxSessions: values["max-sessions"],
})
