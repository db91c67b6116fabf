/**
 * One request that the guard has let in, and how it is answered.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type * as Effect from "effect/Effect"
import type { Principal } from "./Principals.ts"
import type * as Refusal from "./Refusal.ts"

/** `url`: its path and query; what stands before them is not what the client wrote. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly principal: Principal
  readonly url: URL
}

/**
 * A transport of MCP over HTTP.
 *
 * - `path`: where its sessions begin
 * - `handle`: answers a request, or says why it does not. Waits until the answer has left
 * - `endAll`: ends every session; calls under way are answered
 */
export interface HttpTransport {
  readonly path: string
  readonly handle: (exchange: Exchange) => Effect.Effect<void, Refusal.Refusal>
  readonly endAll: Effect.Effect<void>
}
