/**
 * Serves clients over the transport of the command line.
 */
import { styleText } from "node:util"
import * as JsonText from "@zain/process/JsonText"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HttpServeError } from "./http/HttpServeError.ts"
import type { Token } from "./http/Principals.ts"
import type { HttpRoute } from "./http/Routes.ts"
import type * as ServeOptions from "./ServeOptions.ts"
import * as StdioTransport from "./StdioTransport.ts"
import type { ToolServer } from "./ToolServer.ts"

/** The additions of a server that listens. */
export interface Listening {
  /** HTTP routes in addition to MCP. */
  readonly routes?: ReadonlyArray<HttpRoute>
  /** Returns more output for the start, given the URL: lines for people, and members of the line of JSON. */
  readonly announce?: (url: string) => { readonly lines: ReadonlyArray<string>; readonly json: object }
}

/**
 * Reads the tokens of a transport's file; none without a file.
 *
 * @param hasRoots whether a token may be followed by its own root directory
 */
export const tokensOf = Effect.fnUntraced(function* (
  transport: ServeOptions.Transport,
  hasRoots = false,
): Effect.fn.Return<ReadonlyArray<Token>, HttpServeError> {
  if (transport.kind === "stdio" || transport.tokenFile === undefined) return []
  const TokenFile = yield* Effect.promise(() => import("./http/TokenFile.ts"))
  return yield* TokenFile.read(transport.tokenFile, hasRoots)
})

/**
 * Serves until the client of stdio disconnects, and returns the exit code; a server that listens runs until it is
 * interrupted. The URL is printed to standard error, and with `json` to standard output too.
 *
 * @param tokens the result of `tokensOf`
 * @param command the command's name in messages
 * @param stdio the options of the pipes; its `maxUnreadBytes` is also the largest answer over HTTP
 */
export const serve = Effect.fnUntraced(function* (
  server: ToolServer,
  transport: ServeOptions.Transport,
  tokens: ReadonlyArray<Token>,
  command: string,
  stdio: StdioTransport.StdioOptions = {},
  { announce, routes = [] }: Listening = {},
): Effect.fn.Return<number, HttpServeError, Scope.Scope> {
  if (transport.kind === "stdio") {
    if (process.stdin.isTTY)
      process.stderr.write(`Waiting for an MCP client on standard input. See ${command} --help.\n`)
    const { kind, ...pipes } = transport
    const session = yield* server.session(StdioTransport.make(process.stdin, process.stdout, { ...stdio, ...pipes }))
    yield* session.ended
    return 0
  }
  // Loaded when needed: most clients start the command often, and for stdio.
  const HttpServe = yield* Effect.promise(() => import("./http/HttpServe.ts"))
  const Guard = yield* Effect.promise(() => import("./http/Guard.ts"))
  const { allowedHosts, allowedOrigins, host, json, kind, maxSessions, port, sessionIdle } = transport
  const { url } = yield* HttpServe.serve({
    server,
    kind,
    host,
    port,
    tokens,
    allowedHosts,
    allowedOrigins,
    routes,
    limits: {
      ...(maxSessions === undefined ? {} : { maxSessions }),
      ...(sessionIdle === undefined ? {} : { sessionIdle }),
      ...(stdio.maxUnreadBytes === undefined ? {} : largest(stdio.maxUnreadBytes)),
    },
  })
  process.stderr.write(`Listening on ${styleText("bold", url, { stream: process.stderr })}\n`)
  if (Guard.named(host) !== host && allowedHosts.length === 0) {
    process.stderr.write("Requests to any other host name are rejected. Allow a name with --allow-host.\n")
  }
  const more = announce?.(url)
  for (const line of more?.lines ?? []) process.stderr.write(`${line}\n`)
  if (json) process.stdout.write(`${JsonText.write({ url, ...more?.json })}\n`)
  return yield* Effect.never
})

/** Raises every limit of unread data to the size of one answer, in bytes. */
const largest = (bytes: number) => ({
  maxUnreadTotalBytes: Math.max(bytes, 64 * 2 ** 20),
  maxStoredAnswerBytes: Math.max(bytes, 16 * 2 ** 20),
  maxStoredTotalBytes: Math.max(bytes, 64 * 2 ** 20),
})
