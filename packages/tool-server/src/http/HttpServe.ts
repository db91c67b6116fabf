/**
 * Serves MCP over HTTP with authentication and limits.
 *
 * @see docs/internals/promises.md, 25 to 30
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ToolServer } from "../ToolServer.ts"
import * as Connections from "./Connections.ts"
import * as Guard from "./Guard.ts"
import * as HttpLimits from "./HttpLimits.ts"
import type { HttpTransport } from "./HttpRequestContext.ts"
import { HttpServeError } from "./HttpServeError.ts"
import type { Principal, Token } from "./Principals.ts"
import * as Refusal from "./Refusal.ts"
import * as Routes from "./Routes.ts"
import * as Shutdown from "./Shutdown.ts"

/** The options of a server that listens. */
export interface HttpServeOptions {
  readonly server: ToolServer
  /** Streamable HTTP at `/mcp`, HTTP with SSE at `/sse`, WebSocket at `/mcp`, or Streamable HTTP and WebSocket at `/mcp`. */
  readonly kind: HttpLimits.Kind
  /** The address to listen on. */
  readonly host: string
  /** The port to listen on; 0 is any free port. */
  readonly port: number
  /** The accepted tokens. Required unless the host is a loopback address. */
  readonly tokens: ReadonlyArray<Token>
  /** Further values of the `Host` header; a name without a port allows any port. */
  readonly allowedHosts?: ReadonlyArray<string>
  /** Further values of the `Origin` header, such as `https://example.org`. */
  readonly allowedOrigins?: ReadonlyArray<string>
  /** HTTP routes in addition to MCP; with `ws`, for requests that are not upgrades. */
  readonly routes?: ReadonlyArray<Routes.HttpRoute>
  /** Replacements of the default limits. */
  readonly limits?: Partial<HttpLimits.HttpLimits>
}

/** A server that listens. */
export interface Served {
  /** The URL for clients on this machine; of `both`, the one of Streamable HTTP. */
  readonly url: string
}

/** How long a connection without a request stays open; its client counts as connected. */
const keepAliveTimeout = Duration.seconds(65)

/** The TCP keep-alive delay, which detects vanished peers. */
const probeDelay = Duration.seconds(5)

/**
 * Listens until the Scope closes. Then it rejects further requests, ends its sessions, gives answers under way
 * `limits.shutdown` to be sent, closes every connection, and releases the port.
 *
 * @returns the URL; or `HttpServeError`: `token-required` for a non-loopback address, `invalid-option`, `listen-failed`
 */
export const serve = Effect.fnUntraced(function* (
  options: HttpServeOptions,
): Effect.fn.Return<Served, HttpServeError, Scope.Scope> {
  const host = options.host.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  const allowed = yield* Effect.fromResult(checked(host, options))
  const limits = HttpLimits.make(options.kind, options.limits)
  const mcp = yield* transportOf(options.kind, options.server, limits)
  const transport = Routes.beside(mcp, options.routes ?? [], limits)
  const run = yield* FiberSet.makeRuntime<never, void, never>()
  const http = createServer({
    headersTimeout: Duration.toMillis(limits.headersTimeout),
    requestTimeout: Duration.toMillis(limits.requestTimeout),
    connectionsCheckingInterval: Math.ceil(Math.min(Duration.toMillis(limits.headersTimeout) / 4, 1_000)),
    keepAliveTimeout: Duration.toMillis(keepAliveTimeout),
    keepAlive: true,
    keepAliveInitialDelay: Duration.toMillis(probeDelay),
    // Some HTTP clients offer HTTP/2 with each request; beside WebSocket, such an offer is ignored.
    ...(options.kind === "both" ? { shouldUpgradeCallback: isWebSocket } : {}),
  })
  const connections = Connections.make(http, limits.maxSockets)
  const shutdown = Shutdown.make(http, connections, transport, limits)
  yield* Effect.acquireRelease(listen(http, host, options.port), () => shutdown)
  const { port } = http.address() as AddressInfo
  const guard = Guard.make({ host, port, tokens: options.tokens, ...allowed })
  const hasTokens = options.tokens.length > 0
  /** Without tokens, a request with a body counts only when it is complete. */
  const admit = (request: IncomingMessage): boolean => {
    if (hasTokens || !hasBody(request)) return connections.admit(request.socket)
    request.once("end", () => connections.admit(request.socket))
    return true
  }
  http.on("request", (request, response) => {
    run(handled({ guard, admit }, transport, request, response))
  })
  const { upgrade } = transport
  if (upgrade !== undefined) {
    http.on("upgrade", (request, socket, head) => {
      run(upgraded({ guard, admit }, upgrade, request, socket as Socket, head))
    })
  }
  return { url: `${transport.scheme}://${Guard.bracketed(Guard.named(host))}:${port}${transport.path}` }
})

/** Imported when needed: each requires modules that the others do not. */
const transports = {
  http: () => import("./StreamableHttp.ts"),
  sse: () => import("./Sse.ts"),
  ws: () => import("./WebSockets.ts"),
  both: () => import("./BothTransports.ts"),
} as const

const transportOf = (kind: HttpServeOptions["kind"], server: ToolServer, limits: HttpLimits.HttpLimits) =>
  Effect.flatMap(Effect.promise<Transports>(transports[kind]), ({ make }) => make(server, limits))

interface Transports {
  readonly make: (server: ToolServer, limits: HttpLimits.HttpLimits) => Effect.Effect<HttpTransport, never, Scope.Scope>
}

const checked = (host: string, options: HttpServeOptions) => {
  const refuse = (reason: HttpServeError["reason"], message: string) =>
    Result.fail(new HttpServeError({ reason, message }))
  if (options.tokens.length === 0 && !Guard.isLoopback(host)) {
    const what = `Other machines can reach ${host}, and a client of this server can run commands on this machine.`
    return refuse("token-required", `${what} Require tokens with --token-file, or listen on 127.0.0.1.`)
  }
  const allowedHosts = (options.allowedHosts ?? []).map((name) => name.toLowerCase())
  const allowedOrigins = (options.allowedOrigins ?? []).map((origin) => origin.toLowerCase().replace(/\/$/, ""))
  const badHost = allowedHosts.find((name) => !/^([\w.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(name))
  if (badHost !== undefined)
    return refuse("invalid-option", `${badHost} is not a valid host. Write it as name or name:port.`)
  const badOrigin = allowedOrigins.find((origin) => !/^[a-z][a-z0-9+.-]*:\/\/[^/]+$/.test(origin))
  if (badOrigin === undefined) return Result.succeed({ allowedHosts, allowedOrigins })
  return refuse("invalid-option", `${badOrigin} is not a valid origin. Write it as https://example.org.`)
}

const listen = (http: Server, host: string, port: number) =>
  Effect.callback<void, HttpServeError>((resume) => {
    const failed = (cause: NodeJS.ErrnoException) => {
      const message = `Cannot listen on ${host}, port ${port} (${cause.code}). Choose another with --host or --port.`
      resume(Effect.fail(new HttpServeError({ reason: "listen-failed", message })))
    }
    http.once("error", failed)
    try {
      http.listen({ host, port }, () => {
        http.off("error", failed)
        // Later errors concern single connections, not the server.
        http.on("error", () => {})
        resume(Effect.void)
      })
    } catch (cause) {
      failed(cause as NodeJS.ErrnoException)
    }
  })

/** `admit` marks the connection of a request as authenticated; false if there are too many. */
interface Entrance {
  readonly guard: Guard.Guard
  readonly admit: (request: IncomingMessage) => boolean
}

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket"

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const handled = (entrance: Entrance, transport: HttpTransport, request: IncomingMessage, response: ServerResponse) => {
  const refuse = (refusal: Refusal.Refusal) => Effect.sync(() => Refusal.send(request, response, refusal))
  return admitted(entrance, request, refuse, (principal, url) =>
    transport.handle({ request, response, url, principal }),
  ).pipe(Effect.raceFirst(gone(response)))
}

const upgraded = (
  entrance: Entrance,
  upgrade: NonNullable<HttpTransport["upgrade"]>,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
) => {
  const refuse = (refusal: Refusal.Refusal) => Effect.sync(() => Refusal.sendUpgrade(socket, refusal))
  return admitted(entrance, request, refuse, (principal, url) => upgrade({ request, socket, head, url, principal }))
}

const admitted = (
  { admit, guard }: Entrance,
  request: IncomingMessage,
  refuse: (refusal: Refusal.Refusal) => Effect.Effect<void>,
  answer: (principal: Principal, url: URL) => Effect.Effect<void, Refusal.Refusal>,
): Effect.Effect<void> => {
  const verdict = guard(request)
  if (Result.isFailure(verdict)) return refuse(verdict.failure)
  if (!admit(request)) return Effect.void
  const url = new URL(request.url?.startsWith("/") === true ? `http://localhost${request.url}` : "http://localhost/*")
  return answer(verdict.success, url).pipe(
    Effect.catch(refuse),
    Effect.catchDefect(() => refuse({ status: 500, code: -32_603, message: "Internal error." })),
  )
}

/** Returns when the client has disconnected. */
const gone = (response: ServerResponse) =>
  Effect.callback<void>((resume) => {
    const over = () => resume(Effect.void)
    response.once("close", over)
    return Effect.sync(() => response.off("close", over))
  })
