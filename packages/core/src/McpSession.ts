/**
 * One session, opened and closed around its use.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { McpClient } from "./McpClient.ts"
import type { McpConnectionConfig } from "./McpConnectionConfig.ts"
import type { McpError } from "./McpError.ts"
import { McpEvents, type McpStreamed } from "./McpEvents.ts"
import type { McpRequest } from "./McpRequest.ts"
import type { McpResponse } from "./McpResponse.ts"
import type { McpSessionId } from "./McpSessionId.ts"

/** An open session, and the operations of its client for it. */
export interface McpSession {
  /** The id of the session, for operations of the client. */
  readonly id: McpSessionId
  /**
   * Runs one turn; see `execute` of `McpClient`.
   *
   * @param request the prompt, and optionally a deadline
   */
  readonly execute: <A = unknown>(request: McpRequest<A>) => Effect.Effect<McpResponse<A>, McpError>
  /**
   * Runs one turn, and emits its events and then its answer; see `stream` of `McpEvents`.
   *
   * @param request the prompt, and optionally a deadline
   */
  readonly stream: <A = unknown>(request: McpRequest<A>) => Stream.Stream<McpStreamed<A>, McpError>
}

/**
 * Opens a session, uses it, and closes it, also after a failure or an interruption. A session that `use` has closed itself
 * is no failure.
 *
 * @param config the server and the limits of the connection, as for `openSession`
 * @param use what to do with the session
 * @returns what `use` returns; fails as `openSession` and `use` do
 *
 * @example
 * ```ts
 * import { InMemoryMcpClient, withSession } from "@zain/core"
 * import * as Effect from "effect/Effect"
 *
 * const program = withSession(InMemoryMcpClient.config, (session) => session.execute({ content: "hello" }))
 * Effect.runPromise(Effect.provide(program, InMemoryMcpClient.layer()))
 * ```
 */
export const withSession = <A, E, R>(
  config: McpConnectionConfig,
  use: (session: McpSession) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | McpError, R | McpClient | McpEvents> =>
  Effect.gen(function* () {
    const { closeSession, execute, openSession } = yield* McpClient
    const { stream } = yield* McpEvents
    const session = (id: McpSessionId): McpSession => ({
      id,
      execute: (request) => execute(id, request),
      stream: (request) => stream(id, request),
    })
    return yield* Effect.acquireUseRelease(
      openSession(config),
      (id) => use(session(id)),
      (id) => Effect.ignore(closeSession(id)),
    )
  })
