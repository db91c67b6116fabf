/**
 * MCP over WebSocket: a session is one socket, and lasts as long as that. MCP names no such transport; this is what the
 * SDK's client and Claude Code speak: a JSON-RPC message a text frame, subprotocol `mcp`.
 *
 * @see RFC 6455; promises 25 to 30
 */
import type { IncomingMessage } from "node:http"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { WebSocket, WebSocketServer } from "ws"
import type { ToolServer } from "../ToolServer.ts"
import type { HttpLimits } from "./HttpLimits.ts"
import type { HttpTransport, Upgrade } from "./HttpRequestContext.ts"
import * as Incoming from "./Incoming.ts"
import * as Refusal from "./Refusal.ts"
import * as Sessions from "./Sessions.ts"
import * as SlowReader from "./SlowReader.ts"
import * as WebSocketTransport from "./WebSocketTransport.ts"

const path = "/mcp"
const subprotocol = "mcp"

const noPath = Refusal.make(404, `There is nothing here. A WebSocket opens at ${path}.`)
const noWebSocket = Refusal.make(426, "This server speaks MCP over WebSocket.", {
  Upgrade: "websocket",
  Connection: "Upgrade",
})
const noVersion = Refusal.make(426, "This server speaks version 13 of WebSocket.", { "Sec-WebSocket-Version": "13" })
const noKey = Refusal.make(400, "A WebSocket opens with a Sec-WebSocket-Key of 16 bytes.")

/** Serves sessions until the Scope closes. */
export const make = Effect.fnUntraced(function* (
  server: ToolServer,
  limits: HttpLimits,
): Effect.fn.Return<HttpTransport, never, Scope.Scope> {
  const sessions = yield* Sessions.make<void>(server, limits)
  const sockets = new WebSocketServer(optionsOf(limits))
  const incoming = Incoming.make(limits)
  const watch = SlowReader.make(limits)

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

  /** Answers that are under way leave before a socket is closed. */
  const closed = Effect.callback<void>((resume) => sockets.close(() => resume(Effect.void)))
  return {
    scheme: "ws" as const,
    path,
    handle: ({ url }) => Effect.fail(url.pathname === path ? noWebSocket : noPath),
    upgrade,
    endAll: Effect.andThen(sessions.endAll, Effect.timeoutOption(Effect.interruptible(closed), limits.shutdown)),
  }
})

/** What the library would refuse in words of its own; version 8 has another header for the origin of a page. */
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
  // Of one frame, as the network cuts it.
  maxBufferedChunks: 4 * limits.maxFragments,
  // Whoever sends many small ones would keep the process to itself.
  allowSynchronousEvents: false,
  closeTimeout: Duration.toMillis(limits.shutdown),
  handleProtocols: (offered: ReadonlySet<string>) => offered.has(subprotocol) && subprotocol,
  WebSocket: speaking({
    1002: "This is no WebSocket frame.",
    1007: "A message is UTF-8.",
    1008: "A message comes in fewer pieces.",
    1009: `A message may have ${limits.maxBodyBytes} bytes, and this one has more.`,
  }),
})

/** The library closes a socket with a code alone. */
const speaking = (reasons: Readonly<Record<number, string>>) =>
  class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      super.close(code, reason ?? reasons[code ?? 0])
    }
  }
