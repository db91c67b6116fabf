/**
 * A server and its clients, over whatever its command was asked for.
 */
import { styleText } from "node:util"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HttpServeError } from "./http/HttpServeError.ts"
import type { Token } from "./http/Principals.ts"
import type { HttpRoute } from "./http/Routes.ts"
import type * as ServeOptions from "./ServeOptions.ts"
import * as StdioTransport from "./StdioTransport.ts"
import type { ToolServer } from "./ToolServer.ts"

/**
 * What a server that listens does beside MCP.
 *
 * - `routes`: what it answers over HTTP
 * - `announce`: what else its start says, by its address: lines for people, and members of the line of JSON
 */
export interface Listening {
  readonly routes?: ReadonlyArray<HttpRoute>
  readonly announce?: (url: string) => { readonly lines: ReadonlyArray<string>; readonly json: object }
}

/**
 * The tokens that clients of a transport need: those of its file, or none.
 *
 * @param hasRoots whether a token may name directories of its own
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
 * Ends, with an exit code, when there is nobody left to serve; never if it listens. Where it listens is told on standard
 * error, and with `json` on standard output too.
 *
 * @param tokens of `tokensOf`
 * @param command what its user ran
 * @param stdio of its pipes; the largest answer over HTTP too
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
    const session = yield* server.session(StdioTransport.make(process.stdin, process.stdout, stdio))
    yield* session.ended
    return 0
  }
  // Loaded by those who use it: most clients start a command over and over, for stdio.
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
    process.stderr.write("Who uses another name for this machine is refused, unless --allow-host allows the name.\n")
  }
  const more = announce?.(url)
  for (const line of more?.lines ?? []) process.stderr.write(`${line}\n`)
  if (json) process.stdout.write(`${JSON.stringify({ url, ...more?.json })}\n`)
  return yield* Effect.never
})

/** One answer of this size passes every budget of what clients leave unread, in bytes. */
const largest = (bytes: number) => ({
  maxUnreadTotalBytes: Math.max(bytes, 64 * 2 ** 20),
  maxStoredAnswerBytes: Math.max(bytes, 16 * 2 ** 20),
  maxStoredTotalBytes: Math.max(bytes, 64 * 2 ** 20),
})
