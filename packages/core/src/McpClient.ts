/**
 * The port: three operations, the same for every agent.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { McpConnectionConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/**
 * Drives one kind of coding agent: open a session, execute prompts in it, close it.
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
  /**
   * Connects to an MCP server and succeeds with the id of a new session after the MCP handshake. The session lives
   * until `closeSession` or the end of the client. A failed open leaves no process, socket, timer or file behind.
   *
   * Fails with `InvalidRequest` (`invalid-config`: a value of the configuration is wrong, and `message` names its
   * path), with `ConnectionUnavailable` (such as `spawn-failed`, `not-an-mcp-server`, `unreachable`, `unauthorized`, or
   * `connect-timeout` after `connectTimeout`, 30 s by default), and with `SessionClosed` (`closed`: this client is
   * closed; `conversation-lost`: the agent has no conversation with the `threadId` in the provider's options).
   *
   * @param config the server and the limits of the connection: build it with the adapter's TransportFactory, such as
   *   `CodexTransportFactory.local()`, or with `McpConnectionConfig.stdio`, `streamableHttp` or `sse`
   *
   * @example
   * ```ts
   * import { InMemoryMcpClient } from "@zain/core"
   * import * as Effect from "effect/Effect"
   *
   * const program = Effect.gen(function* () {
   *   const client = yield* InMemoryMcpClient.make()
   *   return yield* client.openSession({ ...InMemoryMcpClient.config, connectTimeout: "10 seconds" })
   * })
   * ```
   *
   * @see docs/internals/promises.md, 1 and 10
   */
  readonly openSession: (config: McpConnectionConfig) => Effect.Effect<McpSessionId, McpError>
  /**
   * Sends one prompt and succeeds with the agent's whole answer. The first `execute` of a session starts its
   * conversation, later ones continue it. A session takes one turn at a time, in the order of the calls; up to
   * `maxWaiting` calls wait. `McpEvents.events` has the answer's pieces while the agent works.
   *
   * A turn that fails on the agent's side succeeds with `isError: true`; `McpResponse.orFail` makes it an error.
   * Interrupting `execute` cancels the turn on the server too.
   *
   * Fails with `InvalidRequest` (`empty-content`, `invalid-config`, `not-supported`, `rejected-by-server`),
   * `SessionNotFound` (`unknown-session`), `SessionClosed` (`closed`, `conversation-lost`) and `ConnectionUnavailable` (such as
   * `deadline-exceeded` after the request's `deadline`, `stalled` after `idleTimeout` of silence, `server-exited`,
   * `rate-limited`). Check `error.delivery` before sending the prompt again.
   *
   * @param sessionId an id that `openSession` of this client returned
   * @param request the prompt, and optionally a deadline for the whole call, the wait for its turn included, and the
   *   schema of the answer
   *
   * @example
   * ```ts
   * import { McpClient, type McpSessionId } from "@zain/core"
   *
   * const explain = (session: McpSessionId) =>
   *   McpClient.use((client) => client.execute(session, { content: "Explain main.ts.", deadline: "5 minutes" }))
   * ```
   *
   * @see requirements 5.1 to 5.4; docs/internals/promises.md, 1 to 5
   */
  readonly execute: <A = unknown>(
    sessionId: McpSessionId,
    request: McpRequest<A>,
  ) => Effect.Effect<McpResponse<A>, McpError>
  /**
   * Ends the session and its turn under way, if any, and succeeds after all of the session's processes have ended: at
   * most `closeGrace` (2 s by default) and one second later. A closed session never opens again.
   *
   * Fails with `SessionNotFound` (`unknown-session`), and with `SessionClosed` (`closed`) for a session that is closed
   * or closing already. A turn under way fails with `SessionClosed` too, delivery `unknown`.
   *
   * @param sessionId an id that `openSession` of this client returned
   *
   * @see docs/internals/promises.md, 8, 9 and 11
   */
  readonly closeSession: (sessionId: McpSessionId) => Effect.Effect<void, McpError>
}

/**
 * The service of Effect for the client: `yield* McpClient` or `McpClient.use`. `McpClientAdapter.layer` provides it.
 */
export const McpClient = Context.Service<McpClient>("@zain/core/McpClient")
