/**
 * An authenticated request, and the transport that answers it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type * as Effect from "effect/Effect"
import type { Principal } from "./Principals.ts"
import type * as Refusal from "./Refusal.ts"

/** An authenticated request. */
export interface HttpRequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The client that the request belongs to. */
  readonly principal: Principal
  /** The path and query of the request; its origin is not the client's. */
  readonly url: URL
}

/** An authenticated request to upgrade to another protocol. */
export interface Upgrade extends Pick<HttpRequestContext, "request" | "principal" | "url"> {
  /** The connection, on which no response was sent yet. */
  readonly socket: Socket
  /** The first bytes of the other protocol. */
  readonly head: Buffer
}

/** A transport of MCP that starts with an HTTP request. */
export interface HttpTransport {
  /** The scheme of the server's URL. */
  readonly scheme: "http" | "ws"
  /** The path of the server's URL. */
  readonly path: string
  /** Answers a request, and returns when the response was sent. Fails with the refusal to send. */
  readonly handle: (context: HttpRequestContext) => Effect.Effect<void, Refusal.Refusal>
  /** Upgrades a connection. Fails with the refusal to send. */
  readonly upgrade?: (upgrade: Upgrade) => Effect.Effect<void, Refusal.Refusal>
  /** Ends every session; calls under way are answered. */
  readonly endAll: Effect.Effect<void>
}
