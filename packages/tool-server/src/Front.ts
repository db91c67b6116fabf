/**
 * A server and its clients, over whatever its command was asked for.
 */
import { styleText } from "node:util"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as FrontOptions from "./FrontOptions.ts"
import type { HttpFrontError } from "./http/HttpFrontError.ts"
import * as StdioTransport from "./StdioTransport.ts"
import type { ToolServer } from "./ToolServer.ts"

/**
 * Ends, with an exit code, when there is nobody left to serve; never if it listens. Where it listens is told on standard
 * error, and with `json` on standard output too.
 */
export const serve = (
  server: ToolServer,
  front: FrontOptions.Front,
): Effect.Effect<number, HttpFrontError, Scope.Scope> =>
  Effect.gen(function* () {
    if (front.kind === "stdio") {
      if (process.stdin.isTTY)
        process.stderr.write(`Waiting for an MCP client on standard input. See ${server.name} --help.\n`)
      const session = yield* server.session(StdioTransport.make(process.stdin, process.stdout))
      yield* session.ended
      return 0
    }
    // Loaded by those who use it: most clients start a command over and over, for stdio.
    const HttpFront = yield* Effect.promise(() => import("./http/HttpFront.ts"))
    const TokenFile = yield* Effect.promise(() => import("./http/TokenFile.ts"))
    const { allowedHosts, allowedOrigins, host, json, kind, maxSessions, port, sessionIdle, tokenFile } = front
    const { url } = yield* HttpFront.serve({
      server,
      kind,
      host,
      port,
      tokens: tokenFile === undefined ? [] : yield* TokenFile.read(tokenFile),
      allowedHosts,
      allowedOrigins,
      limits: {
        ...(maxSessions === undefined ? {} : { maxSessions }),
        ...(sessionIdle === undefined ? {} : { sessionIdle }),
      },
    })
    process.stderr.write(`Listening on ${styleText("bold", url, { stream: process.stderr })}\n`)
    if (json) process.stdout.write(`${JSON.stringify({ url })}\n`)
    return yield* Effect.never
  })
