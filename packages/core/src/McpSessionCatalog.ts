/**
 * Which sessions there are, and whether they are open. The only judge of a session's state.
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

/**
 * One session. `openedAt` and `closedAt` are milliseconds since the epoch. `threadId`: the agent's own name for its
 * conversation, once that is known. Secrets of its configuration are not kept.
 */
export interface McpSessionEntry {
  readonly sessionId: McpSessionId
  readonly provider: McpProvider
  readonly state: "Opened" | "Closed"
  readonly serverUrl: string
  readonly transport: McpTransport
  readonly openedAt: number
  readonly closedAt?: number
  readonly threadId?: string
}

/**
 * - `register`: enters a session as `Opened`; the entry of an id that is known stays as it is
 * - `setThread`: enters the name of an open session's conversation
 * - `resolve`: the entry of an id, if there is one
 * - `requireOpened`: the entry of an open session, else `SessionNotFound` or `SessionClosed`
 * - `markClosed`: the one transition, `Opened` to `Closed`; else `SessionNotFound` or `SessionClosed`
 * - `entries`: all that is remembered, oldest first
 *
 * @see seed, `McpSessionCatalog`; requirements 2.4, 3.4 and 5.4
 */
export interface McpSessionCatalog {
  readonly register: (
    sessionId: McpSessionId,
    provider: McpProvider,
    config: Pick<McpConnectionConfig, "serverUrl" | "transport">,
  ) => McpSessionEntry
  readonly setThread: (sessionId: McpSessionId, threadId: string) => void
  readonly resolve: (sessionId: McpSessionId) => Option.Option<McpSessionEntry>
  readonly requireOpened: (sessionId: McpSessionId) => Result.Result<McpSessionEntry, SessionNotFound | SessionClosed>
  readonly markClosed: (sessionId: McpSessionId) => Result.Result<void, SessionNotFound | SessionClosed>
  readonly entries: () => ReadonlyArray<McpSessionEntry>
}

/**
 * A catalog in memory.
 *
 * @param options.rememberClosed how many closed sessions are remembered, so that a host that runs for weeks does not
 *   grow; an older one is `SessionNotFound` from then on. 100,000 by default.
 */
export const make = Effect.fnUntraced(function* (options?: { readonly rememberClosed?: number }) {
  const clock = yield* Clock.Clock
  const rememberClosed = options?.rememberClosed ?? 100_000
  /** Open and closed, in the order of their registration. */
  const known = new Map<McpSessionId, McpSessionEntry>()
  /** In the order of their end. */
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
