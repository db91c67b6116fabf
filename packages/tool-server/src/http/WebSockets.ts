/**
 * Serves MCP over WebSocket: a session is one socket and ends with it. MCP does not specify this transport; the SDK's client
 * and Claude Code use it with one JSON-RPC message per text frame and the subprotocol `mcp`.
 *
 * @see RFC 6455; docs/internals/promises.md, 25 to 30
 */
import type { IncomingMessage } from "node:http"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { WebSocket, WebSocketServer } from "ws"
import type { ToolServer } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpRequestContext, HttpTransport, Upgrade } from "./HttpRequestContext.ts"
import * as Incoming from "./IncomingBudget.ts"
import * as Refusal from "./Refusal.ts"
import * as Sessions from "./Sessions.ts"
import * as StalledReader from "./StalledReader.ts"
import * as WebSocketTransport from "./WebSocketTransport.ts"

const path = "/mcp"
const subprotocol = "mcp"

const noPath = Refusal.make(404, `Not found. A WebSocket opens at ${path}.`)
const noWebSocket = Refusal.make(426, "This server serves MCP over WebSocket only.", {
  Upgrade: "websocket",
  Connection: "Upgrade",
})
const noVersion = Refusal.make(426, "This server supports version 13 of WebSocket only.", {
  "Sec-WebSocket-Version": "13",
})
const noKey = Refusal.make(400, "The Sec-WebSocket-Key header must have 16 bytes in base64.")

/** Serves sessions until the Scope closes. */
export const make = Effect.fnUntraced(function* (
  server: ToolServer,
  limits: HttpLimits,
): Effect.fn.Return<HttpTransport, never, Scope.Scope> {
  const sessions = yield* Sessions.make<undefined>(server, limits)
  return over(limits, { sessions, incoming: Incoming.make(limits), watch: StalledReader.make(limits) })
})

/** The same in sessions of which some may be those of another transport. */
export const over = (
  limits: HttpLimits,
  { incoming, sessions, watch }: Sessions.Parts<Pick<Sessions.Sessions<undefined>, "open" | "endAll">>,
) => {
  const sockets = new WebSocketServer(optionsOf(limits))

  const upgrade = Effect.fnUntraced(function* ({ head, principal, request, socket, url }: Upgrade) {
    const refusal = url.pathname === path ? problem(request) : noPath
    if (refusal !== undefined) return yield* Effect.fail(refusal)
    const accept = (opened: (socket: WebSocket) => void) => sockets.handleUpgrade(request, socket, head, opened)
    const session = yield* sessions.open(principal, () =>
      Effect.sync(() => ({
        transport: WebSocketTransport.make(socket, accept, watch, incoming, limits),
        way: undefined,
      })),
    )
    session.enter(socket)
  })

  /** Waits until the sockets are closed, after the answers under way were sent. */
  const closed = Effect.callback<void>((resume) => sockets.close(() => resume(Effect.void)))
  return {
    scheme: "ws" as const,
    path,
    handle: ({ url }: Pick<HttpRequestContext, "url">) => Effect.fail(url.pathname === path ? noWebSocket : noPath),
    upgrade,
    endAll: Effect.andThen(sessions.endAll, Effect.timeoutOption(Effect.interruptible(closed), limits.shutdown)),
  }
}

/** Rejects what the library would reject with its own message, and version 8, whose origin header has another name. */
const problem = ({ headers, method }: IncomingMessage): Refusal.Refusal | undefined => {
  if (method !== "GET" || headers.upgrade?.toLowerCase() !== "websocket") return noWebSocket
  if (headers["sec-websocket-version"] !== "13") return noVersion
  return /^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? "") ? undefined : noKey
}

const optionsOf = (limits: HttpLimits) => ({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: limits.maxBodyBytes,
  maxFragments: limits.maxFragments,
  // The chunks of one frame, as the network splits it.
  maxBufferedChunks: 4 * limits.maxFragments,
  // A client that sends many small messages would block the event loop.
  allowSynchronousEvents: false,
  closeTimeout: Duration.toMillis(limits.shutdown),
  handleProtocols: (offered: ReadonlySet<string>) => offered.has(subprotocol) && subprotocol,
  WebSocket: speaking({
    1002: "The frame is not a WebSocket frame.",
    1007: "A message must be UTF-8.",
    1008: "The message has too many fragments.",
    1009: `The message exceeds ${limits.maxBodyBytes} bytes.`,
  }),
})

/** Adds reasons to the codes with which the library closes sockets. */
const speaking = (reasons: Readonly<Record<number, string>>) =>
  class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      super.close(code, reason ?? reasons[code ?? 0])
    }
  }
