/**
 * The sessions of a client and their states. No other module decides whether a session is open.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { McpConnectionConfig } from "./McpConnectionConfig.ts"
import type { SessionClosed, SessionNotFound } from "./McpError.ts"
import type { McpProvider } from "./McpProvider.ts"
import type { McpSessionId } from "./McpSessionId.ts"
import type { McpTransport } from "./McpTransport.ts"
import { sessionClosed, sessionNotFound } from "./SessionFailure.ts"

/** One session of a catalog. `env`, `headers` and other secrets of its configuration are not kept. */
export interface McpSessionEntry {
  /** The id that `openSession` returned. */
  readonly sessionId: McpSessionId
  /** The name of the agent that answers in the session, such as `"codex"`. */
  readonly provider: McpProvider
  /** `"Opened"` until the session closes, then `"Closed"` for ever. */
  readonly state: "Opened" | "Closed"
  /** The address of the session's server, as in its configuration. */
  readonly serverUrl: string
  /** How the server of the session is reached, as in its configuration. */
  readonly transport: McpTransport
  /** When the session opened, in milliseconds since 1970. */
  readonly openedAt: number
  /** When the session closed, in milliseconds since 1970; absent while it is open. */
  readonly closedAt?: number
  /** The agent's id of the conversation; absent until the agent has reported it. */
  readonly threadId?: string
}

/**
 * The sessions of one client. A session goes from `Opened` to `Closed`, and never back.
 *
 * @see seed, `McpSessionCatalog`; requirements 2.4, 3.4 and 5.4
 */
export interface McpSessionCatalog {
  /**
   * Adds a session as `Opened` and returns its entry. For a known id it returns the existing entry unchanged.
   *
   * @param sessionId the id of the new session, such as `McpSessionId.make` makes
   * @param provider the name of the session's agent, for `provider` of the entry
   * @param config the address and the transport to remember; of a whole configuration nothing else is kept
   */
  readonly register: (
    sessionId: McpSessionId,
    provider: McpProvider,
    config: Pick<McpConnectionConfig, "serverUrl" | "transport">,
  ) => McpSessionEntry
  /**
   * Sets the `threadId` of an open session; ignores a session that is closed or unknown.
   *
   * @param sessionId the id of the session, as `openSession` returned it
   * @param threadId the agent's id of the conversation, as `ThreadStarted` reported it
   */
  readonly setThread: (sessionId: McpSessionId, threadId: string) => void
  /**
   * The entry of a session, open or closed; `None` for an unknown id.
   *
   * @param sessionId the id that `openSession` returned
   */
  readonly resolve: (sessionId: McpSessionId) => Option.Option<McpSessionEntry>
  /**
   * The entry of an open session. Fails with `SessionNotFound` (`unknown-session`) or `SessionClosed` (`closed`).
   *
   * @param sessionId the id that `openSession` returned
   */
  readonly requireOpened: (sessionId: McpSessionId) => Result.Result<McpSessionEntry, SessionNotFound | SessionClosed>
  /**
   * Sets the state of an open session to `Closed`; it ends no process. Fails with `SessionNotFound` (`unknown-session`)
   * or `SessionClosed` (`closed`), so that of several calls one succeeds.
   *
   * @param sessionId the id of an open session, as `openSession` returned it
   */
  readonly markClosed: (sessionId: McpSessionId) => Result.Result<void, SessionNotFound | SessionClosed>
  /** All open sessions and the remembered closed ones, oldest first. */
  readonly entries: () => ReadonlyArray<McpSessionEntry>
}

/**
 * Makes an empty catalog in memory.
 *
 * @param options.rememberClosed how many closed sessions to remember, 100,000 by default, so that the memory of a
 *   program that runs for weeks is bounded; older ones fail with `SessionNotFound`
 */
export const make = Effect.fnUntraced(function* (options?: { readonly rememberClosed?: number }) {
  const clock = yield* Clock.Clock
  const rememberClosed = options?.rememberClosed ?? 100_000
  /** In the order of registration. */
  const known = new Map<McpSessionId, McpSessionEntry>()
  /** In the order of closing. */
  const closed = new Set<McpSessionId>()

  const requireOpened: McpSessionCatalog["requireOpened"] = (sessionId) => {
    const entry = known.get(sessionId)
    if (entry === undefined) return Result.fail(sessionNotFound(sessionId))
    return entry.state === "Opened" ? Result.succeed(entry) : Result.fail(sessionClosed(sessionId, entry))
  }

  const catalog: McpSessionCatalog = {
    register: (sessionId, provider, { serverUrl, transport }) => {
      const before = known.get(sessionId)
      if (before !== undefined) return before
      const openedAt = clock.currentTimeMillisUnsafe()
      const entry: McpSessionEntry = { sessionId, provider, state: "Opened", serverUrl, transport, openedAt }
      known.set(sessionId, entry)
      return entry
    },
    setThread: (sessionId, threadId) => {
      const entry = known.get(sessionId)
      if (entry?.state === "Opened") known.set(sessionId, { ...entry, threadId })
    },
    resolve: (sessionId) => Option.fromNullishOr(known.get(sessionId)),
    requireOpened,
    markClosed: (sessionId) =>
      Result.map(requireOpened(sessionId), (entry) => {
        known.set(sessionId, { ...entry, state: "Closed", closedAt: clock.currentTimeMillisUnsafe() })
        closed.add(sessionId)
        for (const oldest of closed) {
          if (closed.size <= rememberClosed) break
          closed.delete(oldest)
          known.delete(oldest)
        }
      }),
    entries: () => [...known.values()],
  }
  return catalog
})
