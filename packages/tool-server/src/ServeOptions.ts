/**
 * The options of a server's command that choose its transport.
 */

import * as OptionTable from "@zain/command/OptionTable"
import * as OptionValue from "@zain/command/OptionValue"
import * as Result from "effect/Result"
import type * as HttpLimits from "./http/HttpLimits.ts"

/** The transport: stdio, or one that listens. */
export type Kind = Transport["kind"]

/** The transport of a server, with its options. */
export type Transport =
  | { readonly kind: "stdio"; readonly maxResultBytes?: number }
  | Readonly<ReturnType<typeof listeningOf>>

/** The options of a server over stdio. */
export const pipes = {
  "max-result": OptionTable.one(
    "SIZE",
    OptionValue.mebibytes,
    "the largest result over stdio for a client that declares no limit (default: 8MiB)",
  ),
}

/**
 * Makes the options of a server that listens.
 *
 * @param port the default port; 0 is any free port
 * @param variables the environment variables that are read if `--host` or `--port` is not given
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
      "the address to listen on (default: 127.0.0.1); any other requires --token-file",
      standIn(variables.host),
    ),
    port: oneOr(
      "PORT",
      wholeNumber(0, 65_535),
      port,
      `the port to listen on (default: ${port === 0 ? "any free one" : port})`,
      standIn(variables.port),
    ),
    "token-file": one("FILE", text, "a file of bearer tokens, one per line, readable by its owner only"),
    "allow-host": many("HOST", text, "another host name of this server that clients may use; repeatable"),
    "allow-origin": many("ORIGIN", text, "the origin of a web page that may use this server; repeatable"),
    "max-sessions": one("COUNT", wholeNumber(1, 1_000_000), "the maximum number of sessions at once"),
    "session-idle": one(
      "TIME",
      duration,
      "how long an HTTP session lasts without request, stream or call (default: 30m)",
    ),
    json: OptionTable.flag("also print the URL as one line of JSON on standard output"),
  }
}

type Table = ReturnType<typeof table>
type Pipes = Partial<OptionTable.Values<typeof pipes>>

/**
 * Makes the transport of a command line.
 *
 * @param kind the chosen transport
 * @param parsed the parsed arguments
 * @param listening the transports of the command that listen, in words
 * @returns the transport, or one sentence that describes the error
 */
export const of = (
  kind: Kind,
  { given, values }: Pick<OptionTable.Parsed<Table>, "given"> & { readonly values: OptionTable.Values<Table> & Pipes },
  listening: string,
): Result.Result<Transport, string> => {
  const misplaced = kind === "stdio" ? given.find((name) => name in table()) : undefined
  if (misplaced !== undefined) return Result.fail(`--${misplaced} is for ${listening} only.`)
  const { "max-result": maxResultBytes } = values
  if (kind === "stdio") return Result.succeed({ kind, ...(maxResultBytes === undefined ? {} : { maxResultBytes }) })
  if (given.includes("max-result")) return Result.fail("--max-result is for stdio only.")
  if (kind === "ws" && values["session-idle"] !== undefined) {
    return Result.fail("--session-idle is not for ws: a session lasts as long as its WebSocket.")
  }
  return Result.succeed(listeningOf(kind, values))
}

/** The options of a server that listens. */
const listeningOf = (kind: HttpLimits.Kind, values: OptionTable.Values<Table>) => ({
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
