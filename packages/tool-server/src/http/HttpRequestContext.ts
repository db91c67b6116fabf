/**
 * One request that the guard has let in, and how it is answered.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type * as Effect from "effect/Effect"
import type { Principal } from "./Principals.ts"
import type * as Refusal from "./Refusal.ts"

/** `url`: its path and query; what stands before them is not what the client wrote. */
export interface HttpRequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly principal: Principal
  readonly url: URL
}

/**
 * One request for another protocol that the guard has let in.
 *
 * - `socket`: where that would be spoken; nothing has been answered yet
 * - `head`: the first bytes that the client has said in it
 */
export interface Upgrade extends Pick<HttpRequestContext, "request" | "principal" | "url"> {
  readonly socket: Socket
  readonly head: Buffer
}

/**
 * A transport of MCP that begins with HTTP.
 *
 * - `scheme`, `path`: where its sessions begin
 * - `handle`: answers a request, or says why it does not. Waits until the answer has left
 * - `upgrade`: gives a request the protocol that it asks for, or says why it does not
 * - `endAll`: ends every session; calls under way are answered
 */
export interface HttpTransport {
  readonly scheme: "http" | "ws"
  readonly path: string
  readonly handle: (context: HttpRequestContext) => Effect.Effect<void, Refusal.Refusal>
  readonly upgrade?: (upgrade: Upgrade) => Effect.Effect<void, Refusal.Refusal>
  readonly endAll: Effect.Effect<void>
}
