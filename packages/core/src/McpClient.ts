/**
 * The port: three operations, whoever the agent is.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { McpConnectionConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/**
 * Drives one kind of coding agent.
 *
 * - `openSession`: succeeds once the MCP handshake is complete. Fails with `InvalidRequest` (`invalid-config`) or
 *   `ConnectionUnavailable`, and with `SessionClosed` once the client itself has ended; a failed open leaves nothing
 *   behind.
 * - `execute`: sends one prompt and waits for the agent's answer. The first starts a conversation, the next continue
 *   it; one at a time, in the order of the calls. Fails with any of the four errors. Interrupting it tells the server.
 * - `closeSession`: ends the session and all that belongs to it, its processes proven dead. Fails with
 *   `SessionNotFound` or `SessionClosed`.
 *
 * @example
 * ```ts
 * import { McpClient, type McpConnectionConfig } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const ask = Effect.fn(function* (config: McpConnectionConfig, prompt: string) {
 *   const client = yield* McpClient
 *   const session = yield* client.openSession(config)
 *   const answer = yield* client.execute(session, { content: prompt })
 *   yield* client.closeSession(session)
 *   return answer.content
 * })
 * ```
 *
 * @see seed, `McpClient`; requirements 1.1 to 1.6
 */
export interface McpClient {
  readonly openSession: (config: McpConnectionConfig) => Effect.Effect<McpSessionId, McpError>
  readonly execute: (sessionId: McpSessionId, request: McpRequest) => Effect.Effect<McpResponse, McpError>
  readonly closeSession: (sessionId: McpSessionId) => Effect.Effect<void, McpError>
}

/** The client as a service of Effect: `yield* McpClient`, or `McpClient.use`. */
export const McpClient = Context.Service<McpClient>("@zain/core/McpClient")
